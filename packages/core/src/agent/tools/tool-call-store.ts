/** One use of an embedder's tool on a call. The triple of call, turn and index is its idempotency key. */
export interface ToolCallRecord {
  /** How many times the callee had spoken. */
  readonly turn: number;
  /** From 0 within the turn. */
  readonly index: number;
  readonly name: string;
  /** The input, as canonical JSON text. */
  readonly input: string;
  /** `running` also when the process died meanwhile: whether the tool did its work is unknown then. */
  readonly status: 'running' | 'ok' | 'failed';
  /** What the model was told; `null` while it runs. */
  readonly result: string | null;
  readonly at: Date;
  readonly durationMs: number | null;
}

export interface ToolCallStore {
  /**
   * Records a use before the tool runs. `not_found` when there is no such call, or it is erased.
   * @returns `null` when it is new and may run; else the one that has this key already, which must not run again
   */
  begin(
    callId: string,
    use: Pick<ToolCallRecord, 'turn' | 'index' | 'name' | 'input'>,
  ): Promise<ToolCallRecord | null>;
  /** No effect when it was finished before, or the call is erased. */
  finish(
    callId: string,
    key: Pick<ToolCallRecord, 'turn' | 'index'>,
    outcome: { readonly status: 'ok' | 'failed'; readonly result: string },
  ): Promise<void>;
  /** In the order they began. */
  ofCall(callId: string): Promise<readonly ToolCallRecord[]>;
}

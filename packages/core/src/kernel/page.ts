/** One page of a list, newest first. `nextCursor` is null on the last page; cursors are opaque. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  /** 1-100 */
  readonly limit: number;
  /** `null` for the first page. An unreadable cursor is `validation_failed`. */
  readonly cursor: string | null;
}

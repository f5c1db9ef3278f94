import type { FormField } from '@callkite/contract';
import type { Mode, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';

export interface FormRecord {
  readonly id: string;
  readonly organizationId: string;
  /** Of the key it was made with. Only keys of this mode change it. */
  readonly mode: Mode;
  readonly title: string;
  readonly version: number;
  readonly fields: readonly FormField[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Numbers for number fields, lists for multi-selects, text for the others. */
export type FormValue = string | number | readonly string[];

/** A value the agent learned on a call, in the form its field's type prescribes. */
export interface FormAnswer {
  /** Name of the field. */
  readonly field: string;
  readonly value: FormValue;
  /** Read back to the callee, who agreed. Always `true` for fields that need no reading back. */
  readonly confirmed: boolean;
  /** The callee's words it comes from. */
  readonly quote: string;
}

/** A form as one call fills it in. */
export interface CallForm {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly FormField[];
  /** At most one for each field, in no order. */
  readonly answers: readonly (FormAnswer & { readonly at: Date })[];
}

/**
 * Forms, their versions and what calls filled in. A workflow names forms, not versions: `CallStore.accept` binds the
 * call to the version each has at that moment, in the same step, and forms deleted by then are left out. So a changed
 * form holds for the next call, and calls already accepted keep what they have. Generated workflows name no forms.
 *
 * A scope sees the forms of its mode, and test mode live ones too, to try what live calls do.
 */
export interface FormStore {
  /** Stores version 1. */
  create(
    scope: Scope,
    form: { readonly id: string; readonly title: string; readonly fields: readonly FormField[] },
  ): Promise<FormRecord>;
  /** Current version; `null` when deleted or not to be seen in this scope. */
  get(scope: Scope, id: string): Promise<FormRecord | null>;
  /** A version as it was, of deleted forms too. */
  getVersion(scope: Scope, id: string, version: number): Promise<FormRecord | null>;
  /** Whose form it is, deleted ones included; `null` when the id was never used. */
  ownerOf(id: string): Promise<{ readonly organizationId: string; readonly deleted: boolean } | null>;
  list(scope: Scope, page: PageRequest): Promise<Page<FormRecord>>;
  /**
   * Adds a version; earlier ones stay for calls already accepted.
   * `conflict` when `expectedVersion` is given and is not the current one. `null` when there is no such form of this
   * mode.
   */
  update(
    scope: Scope,
    id: string,
    change: {
      readonly title?: string;
      readonly fields?: readonly FormField[];
      readonly expectedVersion?: number;
    },
  ): Promise<FormRecord | null>;
  /** Soft: the versions stay. `false` when there is no such form of this mode. */
  delete(scope: Scope, id: string): Promise<boolean>;

  /** The forms of a call, in the workflow's order, with what was filled in. For work on behalf of the call itself. */
  ofCall(callId: string): Promise<readonly CallForm[]>;
  /**
   * Stores one answer in place of an earlier one for the field. `not_found` when the call has no such form, is sealed, or
   * is erased.
   */
  storeAnswer(callId: string, formId: string, answer: FormAnswer): Promise<void>;
  /** Empties a field, if it is not empty already. `not_found` when the call has no such form, or is erased. */
  removeAnswer(callId: string, formId: string, field: string): Promise<void>;
}

/**
 * Shows the OpenAPI document to people who read and try the API. It is lent to `createCallkite`: its script is larger
 * than all of core.
 */
export interface ApiReference {
  /** Policy of the page. The script, and what it asks for, come from the origin of the page. */
  readonly contentSecurityPolicy: string;
  /**
   * A script that fills the element with the id `reference` from `openapi.json` beside the page; `null` when it is
   * not there, as in a repository before the first build.
   */
  script(): Promise<ApiReferenceScript | null>;
}

export interface ApiReferenceScript {
  readonly gzip: Uint8Array;
  /** Of these bytes: others have another one. Letters, digits, `-` and `_`. */
  readonly version: string;
}

/** One check, with the remedy where it failed. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly remedy?: string;
}

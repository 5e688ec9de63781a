/** A request that this face does not serve, for any caller. */
export class UnservedRequest extends Error {
  override readonly name = 'UnservedRequest';
  /** The method that the path has, where only the method is wrong. */
  readonly allowed: string | undefined;

  /** @param message git shows it to the person */
  constructor(message: string, allowed?: string) {
    super(message);
    this.allowed = allowed;
  }
}

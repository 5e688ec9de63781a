/** What another provider has verified, as it is compared here. */
export interface VerifiedAddress {
  /** The address itself, in lower case. Nothing else is done to it: one that merely looks like it must not match. */
  readonly name: string;
  /**
   * Whether it has characters that stand for others: Unicode's NFKC changes them, as `aᵈa` to `ada`. People may type
   * their own name so. A provider that verified such an address has not verified the one that it looks like.
   */
  readonly isMistakable: boolean;
}

/** Characters of an e-mail address (RFC 5321 §4.5.3.1). */
const longest = 254;

/** @returns undefined for what is no e-mail address */
export function readVerifiedAddress(email: string): VerifiedAddress | undefined {
  if (email.length > longest || !/^[^\s@]+@[^\s@]+$/.test(email)) return undefined;
  const name = email.toLowerCase();
  // Both are looked at: some capitals turn into a plain letter on the way to the small one (the sign for Kelvin).
  const isMistakable = [email, name].some((text) => text.normalize('NFKC') !== text);
  return { name, isMistakable };
}

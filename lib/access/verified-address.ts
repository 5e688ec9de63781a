/** An address verified by another provider, in its compared form. */
export interface VerifiedAddress {
  /** The address itself, in lower case. Nothing else is done to it: a look-alike must not match. */
  readonly name: string;
  /**
   * Whether it has characters that stand for others: Unicode's NFKC changes them, as `aᵈa` to `ada`. People may type
   * their own name so. A provider that verified such an address has not verified its look-alike.
   */
  readonly isMistakable: boolean;
}

/** Characters of an e-mail address (RFC 5321 §4.5.3.1). */
const longest = 254;

/** @returns undefined for other texts than an e-mail address */
export function readVerifiedAddress(email: string): VerifiedAddress | undefined {
  if (email.length > longest || !/^[^\s@]+@[^\s@]+$/.test(email)) return undefined;
  const name = email.toLowerCase();
  // Both are checked: some capitals become a plain letter in lower case (the sign for Kelvin).
  const isMistakable = [email, name].some((text) => text.normalize('NFKC') !== text);
  return { name, isMistakable };
}

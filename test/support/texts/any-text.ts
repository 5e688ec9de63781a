import fc from 'fast-check';

/** One UTF-16 code unit known to cause trouble: halves of pairs, control characters, U+FFFD, U+FFFE. */
const troublesome: readonly string[] = [
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
  ...Array.from('\ufffd\ufffe\uffff\ufeff\0\u0001\u001b\u007f\u0085\u2028\u202e\u200b\n\r\t"\\\'%< /\u{1f600}é'),
];

/** Any whole character. fast-check's own unit makes a table of all of them, which takes a second in each process. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800));

/**
 * Any text of JSON, also with halves of surrogate pairs: fast-check's own units hold only whole characters.
 * @param longest characters
 */
export function anyText(longest = 40): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...troublesome), maxLength: Math.min(longest, 8) }) },
    {
      weight: 2,
      arbitrary: fc.string({
        unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
        maxLength: longest,
      }),
    },
    { weight: 2, arbitrary: fc.string({ unit: anyCharacter, maxLength: longest }) },
    { weight: 1, arbitrary: fc.nat({ max: 3 }).map((power) => '\ud800x'.repeat(10 ** power)) },
  );
}

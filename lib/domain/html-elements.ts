/** Elements of HTML that stand in a line with the text around them. */
const inLine: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big cite code data del dfn em font i img input ins kbd label mark math q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** Whether words on either side of the element's tags are one. @param name in lower case */
export function isInLine(name: string): boolean {
  return inLine.has(name);
}

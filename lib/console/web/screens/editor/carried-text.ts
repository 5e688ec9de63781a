/** A text on its way from a document that cannot be saved to a new one, within this page. */
interface CarriedText {
  readonly owner: string;
  readonly text: string;
  readonly name: string;
}

let carried: CarriedText | undefined;

export function carryText(text: CarriedText): void {
  carried = text;
}

/** The text that was carried here, once, and for its owner alone. */
export function takeCarried(owner: string): CarriedText | undefined {
  const taken = carried?.owner === owner ? carried : undefined;
  carried = undefined;
  return taken;
}

/** Shorter parts of a secret would be found by chance. */
const shortest = 4;
/** Parts of a secret. A private key of 8,192 bits has a hundred lines. */
const maxParts = 128;

/**
 * A function that takes a secret out of texts, in the forms in which programs and libraries write it: as it is, as part
 * of an address, in a form, in JSON, in an Authorization header. Each is replaced by `***`. A secret of several lines
 * or fields is also taken out line by line and field by field, since kinds may put several values into one.
 * @param secret null for none
 */
export function scrubberOf(secret: string | null): (text: string) => string {
  if (secret === null || secret === '') return (text) => text;
  const length = Math.min(shortest, secret.length);
  // Nearly no text holds the beginning of a form, and a listing can have a text for each of its files.
  const byStart = new Map<string, string[]>();
  for (const form of formsOf(secret)) {
    const start = form.slice(0, length);
    byStart.set(start, [...(byStart.get(start) ?? []), form]);
  }
  return (text) => {
    const found = new Set<string>();
    for (let at = 0; at + length <= text.length; at += 1) {
      const start = text.slice(at, at + length);
      if (byStart.has(start)) found.add(start);
    }
    // Longer ones first, so that nothing of them stays around a shorter one.
    const forms = [...found].flatMap((start) => byStart.get(start) ?? []).toSorted((a, b) => b.length - a.length);
    return forms.reduce((scrubbed, form) => scrubbed.replaceAll(form, '***'), text);
  };
}

function formsOf(secret: string): string[] {
  const parts = [secret.trim(), ...secret.split(/[\r\n:]+/), ...valuesIn(secret)]
    .filter((part) => part.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, maxParts);
  const forms = new Set([secret]);
  for (const part of parts) {
    const written = encodeURIComponent(part.toWellFormed());
    for (const form of [part, written, written.replaceAll('%20', '+'), encodeURI(part.toWellFormed())]) forms.add(form);
    forms.add(written.toLowerCase());
    forms.add(JSON.stringify(part).slice(1, -1));
    // `user:secret` in base64: the secret begins at any of three places in a group of letters.
    for (const lead of ['', ':', 'x:']) for (const form of base64FormsOf(lead, part)) forms.add(form);
    forms.add(Buffer.from(part).toString('hex'));
  }
  return [...forms].filter((form) => form === secret || form.length >= shortest);
}

/** The letters that belong to the part alone, whatever stands before and after it. */
function base64FormsOf(lead: string, part: string): string[] {
  const bytes = Buffer.from(lead + part);
  const first = Math.ceil((lead.length * 8) / 6);
  const last = Math.floor((bytes.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(first, last));
}

/** The texts of a secret that is a JSON object, such as a key's id with the key. */
function valuesIn(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return [];
  try {
    const parsed: unknown = JSON.parse(secret);
    return Object.values(parsed as object).filter((value) => typeof value === 'string');
  } catch {
    return [];
  }
}

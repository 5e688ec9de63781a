import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The file lies with the sources, and the build does not copy it. The path starts at dist/lib/signin/pages. */
const file = new URL('../../../../lib/signin/pages/style.css', import.meta.url);

/** The look of all pages. */
export const stylesheet = readFileSync(file, 'utf8');

/** Named by its content, so browsers can keep it for good. */
export const stylesheetPath = `/signin/style-${createHash('sha256').update(stylesheet).digest('hex').slice(0, 12)}.css`;

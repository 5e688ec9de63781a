import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes the clients that two generators make of a description: `generate-clients.js DESCRIPTION FOLDER`. It is a program
 * of its own, because both need the compiler's API. TypeScript 7 has none, so this process gives them TypeScript 5.
 */
const resolver = `export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolver)}`, import.meta.url);

const [description = '', folder = ''] = process.argv.slice(2).map((name) => path.resolve(name));
const [{ default: generateTypes, astToString }, { createClient }] = await Promise.all([
  import('openapi-typescript'),
  import('@hey-api/openapi-ts'),
]);

// As `npx openapi-typescript` does it, which the manual names.
const types = await generateTypes(pathToFileURL(description));
writeFileSync(`${folder}/cartulary.d.ts`, astToString(types));
await createClient({
  input: description,
  output: { path: `${folder}/sdk`, importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
  logs: { level: 'silent' },
});

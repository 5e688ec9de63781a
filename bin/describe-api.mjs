// Writes the types of a described API: node bin/describe-api.mjs DESCRIPTION FILE [--checked]. It is a process of its
// own, because the generator needs the compiler's API. TypeScript 7 has none, so this process gives it TypeScript 5.
//   --checked  as a server sees a request that was checked: read-only, and a parameter with a default is always there
import { writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const resolver = `export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolver)}`, import.meta.url);
const { default: generateTypes, astToString } = await import('openapi-typescript');
const [description = '', file = '', form = ''] = process.argv.slice(2);

/** Makes every parameter that has a default a required one: the check of a request puts the default there. */
const fillDefaults = {
  id: 'checked',
  decorators: {
    oas3: {
      defaults: () => ({
        Parameter(parameter) {
          if (parameter.schema?.default !== undefined) parameter.required = true;
        },
      }),
    },
  },
};

async function readChecked() {
  // The generator's own copy.
  const { createConfig } = createRequire(import.meta.resolve('openapi-typescript'))('@redocly/openapi-core');
  const redocly = await createConfig({ plugins: [fillDefaults], decorators: { 'checked/defaults': 'on' } });
  return { immutable: true, redocly };
}

const options = form === '--checked' ? await readChecked() : {};
writeFileSync(file, astToString(await generateTypes(pathToFileURL(path.resolve(description)), options)));

// `npm start`: sets the checkout up, then becomes `cartulary start` in the same process. So signals and the exit code
// need no forwarding. Further arguments are passed on.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run-quietly.mjs';
import { setUp } from './setup.mjs';

await setUp();
// A user cannot fix a deprecation inside a package. `node dist/bin/cartulary.js` still shows it.
process.noDeprecation = true;
const program = path.join(root, 'dist', 'bin', 'cartulary.js');
process.argv.splice(1, 1, program, 'start');
await import(pathToFileURL(program).href);

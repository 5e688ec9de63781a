// `npm test`: sets the checkout up, then runs mocha on the compiled tests in the same process.
// Arguments go to mocha (`npm test -- --grep journal`); a path to a compiled test runs that alone.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setUp } from './setup.mjs';

setUp();
process.chdir(root);
const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
process.argv.splice(1, 1, mocha);
if (!process.argv.slice(2).some((argument) => argument.endsWith('.js'))) {
  process.argv.push('dist/test/**/*.test.js');
}
await import(pathToFileURL(mocha).href);

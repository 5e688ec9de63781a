/** `npm run picture`: runs the session of the README's picture and writes it to test/readme/tour.svg. */
import { writeFile } from 'node:fs/promises';
import { tidyUp } from '../support/processes/run-program.js';
import { drawTerminal, runTour } from './tour.js';

const file = 'test/readme/tour.svg';
try {
  await writeFile(file, drawTerminal(await runTour()));
  console.log(file);
} finally {
  await tidyUp();
}

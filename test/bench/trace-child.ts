/** Runs in the copy made by `trace.ts`: makes requests and prints the files of lib that each one enters. */
import { openSixRequests } from '../support/trace/six-requests.js';
import { QuestionWatch } from '../support/trace/watch-questions.js';

const entered: string[] = [];
Object.assign(globalThis, { noteEntered: (file: string) => entered.push(file) });

const showsFiles = process.argv.includes('--files');
const showsQuestions = process.argv.includes('--questions');
const wanted = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const six = await openSixRequests();
const watch = new QuestionWatch();
process.stdout.write('request      files  changes of room  functions  asked twice\n');
for (const [name, run] of Object.entries(six.requests)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await six.warmUp(run);
  entered.length = 0;
  watch.take();
  await run();
  const repeated = watch.take();
  const files = [...new Set(entered)];
  const rooms = entered.map((file) => file.split('/')[0]);
  const changes = rooms.filter((room, index) => index > 0 && room !== rooms[index - 1]).length;
  process.stdout.write(
    `${name.padEnd(12)} ${String(files.length).padStart(5)} ${String(changes).padStart(16)} ${String(entered.length).padStart(10)} ${String(repeated.length).padStart(12)}\n`,
  );
  if (showsFiles) process.stdout.write(files.map((file) => `  ${file}\n`).join(''));
  if (showsQuestions)
    process.stdout.write(
      repeated.map(({ question, from }) => `  ${question}\n${from.map((place) => `    ${place}\n`).join('')}`).join(''),
    );
}
await six.close();

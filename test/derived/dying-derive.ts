/**
 * Derives in a process of its own: ORDER as JSON, and the number of the step before which it ends itself as a crash
 * would. It writes its steps, and the result.
 */
import { deriveRepository, type DeriveOrder } from '../../lib/derived/derive.js';

const [, , order = '', dieAt = '0'] = process.argv;
let count = 0;
const begin = performance.now();
const derived = await deriveRepository(JSON.parse(order) as DeriveOrder, new AbortController().signal, (step) => {
  count += 1;
  process.stdout.write(`${step} ${Math.round(performance.now() - begin)}\n`);
  if (count === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
});
process.stdout.write(`${JSON.stringify(derived)}\n`);

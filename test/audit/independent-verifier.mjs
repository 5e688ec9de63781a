// Checks an export of the audit log with Node alone: it shares no line with the program. Usage: node
// independent-verifier.mjs EXPORT [PUBLIC-KEY.pem] ["SEQ HASH"] [COMMIT of an expected restart]
import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, keyFile, known, expected] = process.argv.slice(2);
const key = keyFile ? createPublicKey(readFileSync(keyFile)) : undefined;
const [knownSeq, knownHash] = known ? known.split(' ') : [];

// RFC 8785, as far as these flat objects of text, integers, booleans and null need it.
const canonical = (members) =>
  JSON.stringify(Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))));
const commitment = (salt, text) => createHmac('sha256', Buffer.from(salt, 'hex')).update(text).digest('hex');
// Early builds exported a committed U+FFFD as three of them: the README's "second reading".
const second = (part, text) => (part === 'target' ? text.replace(/\ufffd{3}/g, '\ufffd') : text);

function stop(problem) {
  console.log(`BROKEN: ${problem}`);
  process.exit(1);
}

let [seq, head, isClosed, restarted] = [0, '0'.repeat(64), false, ''];
for await (const line of createInterface({ input: createReadStream(file) })) {
  const entry = JSON.parse(line);
  const { record, text, checkpoint } = entry;
  // What no hash covers must not be there: a member more or twice, or another spelling.
  const shape = [entry, text ?? {}].map((each) => Object.keys(each).sort().join(' ')).join(', ');
  if (JSON.stringify(entry) !== line || !/^(checkpoint, |record, |record text, detail salt seq target)$/.test(shape))
    stop(`the line after record ${seq} is not as an export writes it`);
  if (isClosed) stop(`something follows the signature at the end, after record ${seq}`);
  if (checkpoint) {
    const { signature, ...signed } = checkpoint;
    if (signed.seq !== seq || signed.hash !== head) stop(`record ${signed.seq} is not here as it was signed`);
    const bytes = Buffer.from(signature, 'base64');
    if (key && !(verify(null, Buffer.from(canonical(signed)), key, bytes) && bytes.toString('base64') === signature))
      stop(`the signature over record ${seq} is false`);
    isClosed = signed.closing;
    continue;
  }
  const { hash, ...members } = record;
  if (record.seq !== seq + 1) stop(`record ${seq + 1} is missing, or stands elsewhere`);
  if (record.prev_hash !== head) stop(`record ${record.seq} does not follow record ${seq}`);
  if (createHash('sha256').update(canonical(members)).digest('hex') !== hash) stop(`record ${record.seq} was changed`);
  for (const part of ['target', 'detail']) {
    const readings = text && text[part] !== null ? [text[part], second(part, text[part])] : [];
    if (readings.length > 0 && readings.every((each) => commitment(text.salt, each) !== record[part]))
      stop(`the ${part} of record ${record.seq} was changed`);
  }
  if (seq === 0 && record.action === 'workspace.recover') {
    restarted = `the log was restarted at ${record.at} from commit ${record.version}`;
    if (record.version !== expected) stop(`${restarted}; records before it are not checked`);
  }
  [seq, head] = [record.seq, hash];
  if (String(seq) === knownSeq && head !== knownHash) stop(`record ${seq} is not the one that is known`);
}
if (Number(knownSeq) > seq) stop(`record ${knownSeq} is known, and the export ends at ${seq}`);
if (key && !isClosed) stop(`the export breaks off after record ${seq}`);
if (restarted) console.log(restarted);
console.log(`sound: ${seq} records, the last is ${head}`);

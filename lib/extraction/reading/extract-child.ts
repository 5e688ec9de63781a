// The program of the child process that reads files which a stranger wrote: it takes a file by its standard input, and
// answers with the text by its standard output. It opens no connection, and no file but the program's own.
import { MessageReader, packMessage, type FileHead, type TextHead } from '../child-messages.js';
import { maxFileBytes } from '../bounds.js';
import { readFile } from './read-file.js';

const [, , maps = ''] = process.argv;
const reader = new MessageReader<FileHead>(maxFileBytes);

// A library that says something would say it in the middle of an answer.
for (const name of ['log', 'warn', 'error', 'info', 'debug'] as const) globalThis.console[name] = () => undefined;
// A library may leave an error behind after its reader has ended. What it read by then is known.
process.on('unhandledRejection', () => undefined);
process.stdin.on('data', (piece: Buffer) => {
  const message = reader.take(piece);
  if (message !== undefined) void answer(message.head, message.bytes);
});

async function answer({ mediaType, name, charset }: FileHead, bytes: Buffer): Promise<void> {
  const read = await readFile({ bytes, mediaType, name, charset }, maps);
  const { user, system } = process.cpuUsage();
  const used = { memory: process.memoryUsage.rss(), seconds: (user + system) / 1e6 };
  if ('reason' in read) {
    send({ reason: read.reason, size: 0, ...used }, Buffer.alloc(0));
    return;
  }
  const { text, ...rest } = read;
  const encoded = Buffer.from(text);
  send({ ...rest, size: encoded.length, ...used }, encoded);
}

function send(head: TextHead, bytes: Buffer): void {
  for (const piece of packMessage(head, bytes)) process.stdout.write(piece);
}

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { findPassphrase } from '../lib/config/environment.js';
import type { CalledWith } from './options.js';
import { askFor, endProgress } from './print.js';

export const passphraseOption = [
  '--passphrase-file <file>',
  'holds the passphrase in its first line (else CARTULARY_PASSPHRASE, else it is asked for)',
] as const;

/** The passphrase, from any safe source: never from the command line, which every process can read. */
export async function readPassphrase(options: CalledWith, isNew: boolean): Promise<string> {
  const file = options['passphraseFile'];
  if (typeof file === 'string') return firstLine(readFileSync(file, 'utf8'));
  const fromEnvironment = findPassphrase();
  if (fromEnvironment !== undefined) return fromEnvironment;
  if (!process.stdin.isTTY) throw usage('There is no passphrase. Give --passphrase-file, or set CARTULARY_PASSPHRASE.');
  const typed = await askHidden('Passphrase: ');
  if (isNew && (await askHidden('Once more: ')) !== typed) throw usage('The two passphrases differ.');
  return typed;
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}

/** Asks on the terminal without showing the input. */
function askHidden(question: string): Promise<string> {
  askFor(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise((done, giveUp) => {
    terminal.once('SIGINT', () => {
      terminal.close();
      giveUp(usage('Nothing was done.'));
    });
    terminal.question('', (answer) => {
      terminal.close();
      endProgress('kept');
      done(answer);
    });
  });
}

/** A wrong call is reported like a wrong setting. */
export function usage(message: string): Error {
  const error = new Error(message);
  error.name = 'ConfigError';
  return error;
}

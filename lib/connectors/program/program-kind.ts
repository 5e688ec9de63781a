import { mkdir } from 'node:fs/promises';
import { scrubberOf } from '../scrub.js';
import { SourceFault, type SourceKind } from '../source.js';
import { Conversation, type Bounds } from './conversation.js';
import { ProgramSource } from './program-source.js';

/** What a program's connector needs to know. */
export interface ProgramSettings {
  /** The operator's name of the program. */
  readonly program: string;
  /** For the program itself. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Bytes of the settings and the secret together. */
const maxHelloLength = 64 * 1024;

const usualBounds: Bounds = { timeout: 120_000, life: 4 * 3_600_000 };

/** An outside program that speaks the connector protocol (lib/docs/connector-protocol.md). */
export function makeProgramKind(bounds = usualBounds): SourceKind<ProgramSettings> {
  return {
    settingsSchema: {
      type: 'object',
      required: ['program'],
      additionalProperties: false,
      properties: {
        program: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'Name of a program in the setting `connector_programs`.',
        },
        settings: {
          type: 'object',
          maxProperties: 100,
          description:
            'What the program itself has to know, without secrets. Each is a text, a number, a truth or a list.',
          additionalProperties: {
            type: ['string', 'number', 'boolean', 'array'],
            maxLength: 4096,
            maxItems: 100,
            items: { type: ['string', 'number', 'boolean'], maxLength: 4096 },
          },
        },
      },
    },
    secretMeans: 'what the program asks for, such as a token',
    readsAtOnce: 4,
    describe: ({ program }) => `The program ${program}`,
    async open({ program: name, settings = {} }, secret, means) {
      const { allowance, log, cacheFolder, maxEntries } = means;
      const command = Object.hasOwn(allowance.programs, name) ? allowance.programs[name] : undefined;
      if (command === undefined) throw notAllowed();
      const hello = { protocol: 1, settings, secret, max_entries: maxEntries };
      if (Buffer.byteLength(JSON.stringify(hello)) > maxHelloLength) throw tooLong();
      await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
      const scrub = scrubberOf(secret);
      const begun = await Conversation.begin({ name, command, folder: cacheFolder, log, bounds, scrub }, hello);
      return new ProgramSource(begun.conversation, begun.probes, maxEntries);
    },
  };
}

function notAllowed(): SourceFault {
  return new SourceFault(
    'denied_egress',
    'This service runs no program of that name. Ask those who run it to add the program to the setting connector_programs.',
  );
}

function tooLong(): SourceFault {
  return new SourceFault('limit', `The settings and the secret have more than ${maxHelloLength} bytes. Shorten them.`);
}

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { SkipReason, SourceFaultClass } from '../../domain/connector.js';

/** An entry of a listing, as a program writes it. */
export type EntryMessage =
  | {
      readonly type: 'file';
      readonly path: string;
      readonly id?: string;
      readonly version: string;
      readonly size?: number;
      readonly modified_at?: string;
    }
  | {
      readonly type: 'skipped';
      readonly path: string;
      readonly version: string;
      readonly reason: SkipReason;
      readonly detail?: string;
    }
  | { readonly type: 'unreadable'; readonly path: string; readonly detail: string }
  | { readonly type: 'removed'; readonly id?: string; readonly path?: string };

/** What a program answers to a request. */
export type Answer = { readonly id: number } & (
  | { readonly type: 'checked'; readonly found: string }
  | { readonly type: 'probed'; readonly changed: boolean }
  | { readonly type: 'listing'; readonly mode: 'snapshot' | 'delta' }
  | { readonly type: 'entries'; readonly entries: readonly EntryMessage[] }
  | { readonly type: 'listed'; readonly cursor: string | null; readonly version: string | null }
  | { readonly type: 'content'; readonly base64: string }
  | { readonly type: 'complete'; readonly size: number }
  | { readonly type: 'unreadable'; readonly reason: SkipReason; readonly detail?: string }
  | { readonly type: 'cancelled' }
);

export interface FaultMessage {
  readonly type: 'fault';
  readonly id?: number;
  readonly fault: SourceFaultClass;
  readonly message: string;
  readonly retry_after?: number;
}

export interface ReadyMessage {
  readonly type: 'ready';
  readonly probe?: boolean;
}

/** What a program writes. */
export type Message = Answer | FaultMessage | ReadyMessage;

/** Longest line in bytes. A line is parsed in one go, and the deepest nesting takes the most time: 0.1 ms for 1 KiB. */
export const maxLineLength = 256 * 1024;

/** Reads a line of a program. @returns the message, or its fault: the end of a sentence that begins with the line */
export type ReadMessage = (line: Buffer) => Message | string;

let remembered: Promise<ReadMessage> | undefined;

/** Prepares the check of lines by the protocol's description, when the first program is started. */
export function prepareReader(): Promise<ReadMessage> {
  return (remembered ??= prepare());
}

async function prepare(): Promise<ReadMessage> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateSchema: false, discriminator: true });
  const description = readDescription();
  ajv.addSchema(description);
  const types = description.$defs.from_program.oneOf.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1));
  const checks = new Map<unknown, ValidateFunction | undefined>(
    types.map((type) => [type, ajv.getSchema(`${description.$id}#/$defs/${type}`)]),
  );
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (line) => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(decoder.decode(line));
    } catch {
      return 'is no JSON in UTF-8';
    }
    if (typeof parsed !== 'object' || parsed === null || !('type' in parsed)) return 'is no message';
    const { type } = parsed;
    const check = checks.get(type);
    if (check === undefined) return 'has a type that the protocol does not know';
    if (check(parsed)) return parsed as Message;
    const { instancePath = '', message = 'is wrong' } = check.errors?.[0] ?? {};
    return `of the type ${String(type)} is wrong (${instancePath || 'as a whole'} ${message})`;
  };
}

interface Description {
  readonly $id: string;
  readonly $defs: { readonly from_program: { readonly oneOf: readonly { readonly $ref: string }[] } };
}

/** It lies beside the sources and, in the built package, one folder further up. */
function readDescription(): Description {
  const places = ['../../../schema', '../../../../schema'].map((place) => `${place}/connector-protocol.json`);
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((each) => existsSync(each));
  if (file === undefined) throw new Error(`The description of the protocol is missing: ${files.join(', ')}`);
  return JSON.parse(readFileSync(file, 'utf8')) as Description;
}

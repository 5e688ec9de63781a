import type { Readable } from 'node:stream';

/** An answer before it is written to the connection. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
  /**
   * Whether it may be compressed. A compressed length depends on all of its text together, so it says something of a
   * secret beside text that another principal has chosen (decision 0056).
   */
  readonly mayCompress?: boolean;
}

export type AnswerBody =
  | { readonly form: 'none' }
  | {
      readonly form: 'json';
      readonly value: object;
      /** The value's text, where it exists already. */
      readonly text?: Buffer;
    }
  | { readonly form: 'bytes'; readonly bytes: Uint8Array }
  | {
      /** A stream of unknown length. */
      readonly form: 'flow';
      readonly mediaType: string;
      readonly open: () => Readable | Promise<Readable>;
      /** Releases what the stream would have held, where it is not opened. */
      readonly leave?: () => void;
    }
  | {
      /** Part of a stream: bytes before `start` are skipped, and the stream is closed after `length` bytes. */
      readonly form: 'stream';
      readonly open: () => Promise<Readable>;
      readonly start: number;
      readonly length: number;
    };

/** An answer to a preflight request: the headers say everything. */
export const noContent: Answer = { status: 204, headers: {}, body: { form: 'none' } };

/** An answer to OPTIONS: the methods of a path (RFC 9110 §9.3.7). */
export function answerMethods(methods: readonly string[]): Answer {
  return { ...noContent, headers: { Allow: methods.join(', ') } };
}

/** An answer with one JSON value, in UTF-8. */
export function answerJson(status: number, value: object, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: { form: 'json', value } };
}

/** The same answer with one header more, or with another value for it. */
export function withHeader(answer: Answer, name: string, value: string): Answer {
  return { ...answer, headers: { ...answer.headers, [name]: value } };
}

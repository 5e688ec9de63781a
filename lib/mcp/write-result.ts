import type { Answer } from './rpc-answer.js';
import type { ToolAnswer } from './call-tool.js';

interface CallResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

/**
 * A tool's answer as the library takes it. Text and structured content hold the same bytes, so a program checks the
 * content that a model reads. A refusal is text alone: older clients check any structured content against the schema of
 * success.
 */
export function toResult({ text, isError }: ToolAnswer): CallResult {
  if (text === undefined) return { content: [], isError: true };
  const content: CallResult['content'] = [{ type: 'text', text }];
  if (isError) return { content, isError };
  return { content, structuredContent: JSON.parse(text) as Record<string, unknown> };
}

/** The members of `toResult`, written without parsing the text again. */
export function writeToolAnswer({ text, isError }: ToolAnswer): string {
  if (text === undefined) return '"content":[],"isError":true';
  const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
  return isError ? `${content},"isError":true` : `${content},"structuredContent":${text}`;
}

/**
 * A result as the protocol's library sends it, byte for byte: one JSON text in the present revision, one event of a
 * stream in those before it.
 * @param members of the result, as JSON without the braces
 * @param closing members that the present revision adds, as JSON with a comma before each
 */
export function answerResult(id: string | number, members: string, closing: string | undefined): Answer {
  const message = `{"result":{${members}${closing ?? ''}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  return closing === undefined
    ? { status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: `event: message\ndata: ${message}\n\n` }
    : { status: 200, headers: { 'Content-Type': 'application/json' }, body: message };
}

import type { Answer } from './rpc-answer.js';
import { refuseCall, type ToolBox } from './call-tool.js';
import { describeServer, toolsKept } from './make-server.js';
import type { PlainRequest } from './plain-request.js';
import type { RequestContext } from './request-context.js';
import { answerResult, writeToolAnswer } from './write-result.js';

/**
 * Answers plain requests without the protocol's library, in the library's bytes. The library makes a server, a request,
 * a response and two streams for each message, which costs more than a read (decision 0151).
 */
export class PlainAnswers {
  readonly #box: ToolBox;
  readonly #tools: string;
  readonly #closing: string;
  readonly #closingOfTools: string;

  constructor(box: ToolBox, version: string) {
    this.#box = box;
    this.#tools = `"tools":${JSON.stringify(box.definitions)}`;
    const meta = JSON.stringify({ 'io.modelcontextprotocol/serverInfo': describeServer(version) });
    this.#closing = `,"resultType":"complete","_meta":${meta}`;
    this.#closingOfTools = `,"resultType":"complete","ttlMs":${toolsKept},"cacheScope":"public","_meta":${meta}`;
  }

  /** @returns undefined for an unknown tool, which the library refuses */
  async answer(request: PlainRequest, context: RequestContext): Promise<Answer | undefined> {
    const { id, isPresent } = request;
    if (request.method === 'ping') return answerResult(id, '', undefined);
    if (request.method === 'tools/list') {
      return answerResult(id, this.#tools, isPresent ? this.#closingOfTools : undefined);
    }
    const { name, args } = request;
    const { refusal, caller } = context;
    if (refusal === undefined && !this.#box.has(name)) return undefined;
    if (refusal === undefined) context.tool = name;
    const said =
      refusal === undefined ? await this.#box.call(context, name, args) : refuseCall(refusal, caller.requestId);
    return answerResult(id, writeToolAnswer(said), isPresent ? this.#closing : undefined);
  }
}

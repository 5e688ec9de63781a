import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { RequestContext } from '../../../lib/mcp/request-context.js';

/*
 * The conformance suite's expected tools, resources and prompts. Our face serves them in place of the real table, so
 * that all values of the protocol visibly pass through it whole.
 */

/** One red dot, and a wave of no length. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string) => ({ type: 'text', text: words }) as const;
const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
const embedded = (uri: string, mimeType: string, words: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text: words } }) as const;

type Answer = Record<string, unknown>;
type Tool = (context: ServerContext) => Answer | Promise<Answer>;

async function makeProgress({ mcpReq }: ServerContext): Promise<Answer> {
  const progressToken = mcpReq['_meta']?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken === undefined) continue;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
  }
  return { content: [text('Done.')] };
}

/** Asks once, then returns the answer. */
function asking(key: string, method: string, params: object): Tool {
  return ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.[key];
    if (answer !== undefined) return { content: [text(`Got ${JSON.stringify(answer)}`)] };
    return inputRequired({ inputRequests: { [key]: { method, params } as never } });
  };
}

const askName = {
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const askFor = (key: string, message: string, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: { type: 'object', properties: { [key]: { type } }, required: [key] },
  },
});
const askCapital = {
  messages: [{ role: 'user', content: text('What is the capital of France?') }],
  maxTokens: 100,
};

type Requests = Readonly<Record<string, { readonly method: string; readonly params: object }>>;

/** Asks round by round, each with a state of its own; an unknown state is refused. */
function askingInRounds(rounds: readonly Requests[], last: string): Tool {
  return ({ mcpReq }) => {
    const state = mcpReq.requestState();
    const round = state === undefined ? 0 : rounds.findIndex((_, index) => state === `state ${index}`) + 1;
    if (state !== undefined && round === 0) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This state was not handed out.');
    }
    const requests = rounds[round];
    if (requests === undefined) return { content: [text(last)] };
    return inputRequired({ inputRequests: requests as never, requestState: `state ${round}` });
  };
}

/** Asks for no more than the client's capabilities. */
const askWhatCanBeGiven: Tool = ({ mcpReq }) => {
  const able = (mcpReq.envelope as Record<string, object> | undefined)?.[`${reserved}clientCapabilities`] ?? {};
  const all: Requests = { elicitation: askFor('name', 'Who?'), sampling: { ...sampleCapital }, roots: listRoots };
  const given = Object.entries(all).filter(([capability]) => capability in able);
  return inputRequired({ inputRequests: Object.fromEntries(given) as never });
};

const reserved = 'io.modelcontextprotocol/';
const listRoots = { method: 'roots/list', params: {} };
const sampleCapital = { method: 'sampling/createMessage', params: askCapital };
const confirm = { confirm: askFor('ok', 'Please confirm', 'boolean') };

const tools: Readonly<Record<string, Tool>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }),
  test_tool_with_progress: makeProgress,
  test_input_required_result_elicitation: asking('user_name', 'elicitation/create', askName),
  test_input_required_result_sampling: asking('capital_question', 'sampling/createMessage', askCapital),
  test_input_required_result_list_roots: asking('client_roots', 'roots/list', {}),
  test_input_required_result_request_state: askingInRounds([confirm], 'state-ok'),
  test_input_required_result_tampered_state: askingInRounds([confirm], 'state-ok'),
  test_input_required_result_multiple_inputs: askingInRounds(
    [{ user_name: askFor('name', 'What is your name?'), greeting: sampleCapital, client_roots: listRoots }],
    'All is there.',
  ),
  test_input_required_result_multi_round: askingInRounds(
    [{ step1: askFor('name', 'What is your name?') }, { step2: askFor('color', 'What is your favorite color?') }],
    'Both are there.',
  ),
  test_input_required_result_capabilities: askWhatCanBeGiven,
  test_missing_capability: asking('capital_question', 'sampling/createMessage', askCapital),
  test_streaming_elicitation: asking('user_name', 'elicitation/create', askName),
  test_logging_tool: () => ({ content: [text('Nothing is logged to clients.')] }),
};

function readResource(uri: string): Answer {
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri, 'There is no such resource.');
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: 'application/json', text: data };
}

type Prompt = (args: Readonly<Record<string, string>>) => readonly object[];
const prompts: Readonly<Record<string, { readonly takes: readonly string[]; readonly say: Prompt }>> = {
  test_simple_prompt: { takes: [], say: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    takes: ['arg1', 'arg2'],
    say: ({ arg1 = '', arg2 = '' }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    takes: ['resourceUri'],
    say: ({ resourceUri = '' }) => [
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_input_required_result_prompt: { takes: [], say: () => [text('There is context now.')] },
  test_prompt_with_image: { takes: [], say: () => [image, text('Please analyze the image above.')] },
};

/** The suite's server, for one request. */
export function serveFixtures(_: RequestContext, era: 'legacy' | 'modern'): Server {
  const server = new Server(
    { name: 'fixtures', version: '0' },
    {
      capabilities: {
        tools: {},
        resources: era === 'modern' ? { subscribe: true, listChanged: true } : {},
        prompts: {},
        completions: {},
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: 'object' as const } })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools[params.name];
    if (tool === undefined) throw new Error('Unknown tool');
    return (await tool(context)) as never;
  });
  server.setRequestHandler('resources/list', () => ({
    resources: ['text', 'binary'].map((name) => ({ uri: `test://static-${name}`, name })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }));
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [readResource(params.uri) as never] }));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { takes }]) => ({
      name,
      description: name,
      arguments: takes.map((each) => ({ name: each, description: each, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => {
    if (params.name === 'test_input_required_result_prompt' && mcpReq.inputResponses === undefined) {
      const user_context = askFor('context', 'What context should the prompt use?');
      return inputRequired({ inputRequests: { user_context } as never });
    }
    const content = prompts[params.name]?.say(params.arguments ?? {}) ?? [];
    return { messages: content.map((each) => ({ role: 'user' as const, content: each as never })) };
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

/** Why the suite does not judge a check or a scenario, by its name. */
type Reasons = Readonly<Record<string, string>>;

/** The checks and scenarios of a revision that stay without a verdict. */
export interface OpenChecks {
  /** Checks of scored scenarios. */
  readonly withoutVerdict: Reasons;
  /** The same, when the server has its own tools and not those of the suite. */
  readonly withoutSuiteTools: Reasons;
  /** Scenarios that the revision does not score. */
  readonly unscored: Reasons;
}

const noSession = 'It needs a session, and a session id is optional. There are none.';
const noTasks = 'The extension io.modelcontextprotocol/tasks is not declared.';
const noSuiteTool = 'It calls a tool of the suite, which neither the table nor the fixtures have.';

const taskScenarios = [
  'capability-negotiation',
  'dispatch-and-envelope',
  'lifecycle',
  'mrtr-composition',
  'mrtr-input',
  'request-headers',
  'request-state-removal',
  'required-task-error',
  'status-notifications',
  'wire-fields',
];

/** Every check that the suite leaves open. A test fails when one comes or goes. */
export const openChecks: Readonly<Record<string, OpenChecks>> = {
  '2026-07-28': {
    withoutVerdict: {
      'server-sse-multiple-streams:server-sse-streams-functional': 'Answers are JSON, and streams are optional.',
      'server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription':
        'prompts.listChanged is not declared: there are no prompts.',
      'server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription':
        'tools.listChanged is not declared: the tools of a server never change.',
    },
    withoutSuiteTools: {
      'input-required-result-ignore-extra-params:sep-2322-ignore-unexpected-params': noSuiteTool,
      'input-required-result-missing-input-response:sep-2322-missing-response-rerequests': noSuiteTool,
    },
    unscored: {
      'http-custom-header-server-validation': noSuiteTool,
      'json-schema-2020-12': noSuiteTool,
      ...Object.fromEntries(taskScenarios.map((name) => [`tasks-${name}`, noTasks])),
    },
  },
  '2025-11-25': {
    withoutVerdict: {
      'server-initialize:server-session-id-visible-ascii': noSession,
      'server-sse-multiple-streams:server-sse-multiple-streams-session': noSession,
    },
    withoutSuiteTools: {},
    unscored: {
      'json-schema-2020-12': noSuiteTool,
      'server-session-lifecycle': noSession,
      'server-sse-polling': noSession,
    },
  },
};

/** What the suite has to find right about subscriptions of 2026-07-28. In 2025 they need a session. */
export const subscriptionChecks = [
  'server-stateless:sep-2575-server-sends-subscription-ack',
  'server-stateless:sep-2575-server-honors-notification-filter',
  'server-stateless:sep-2575-server-tags-subscription-id',
];

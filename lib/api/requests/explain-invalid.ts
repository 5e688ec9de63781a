import { describeRule } from '../../domain/describe-rule.js';
import { internal, invalidRequest, type Refusal } from '../../domain/refusal.js';
import { unknownParameter } from './parse-target.js';

/** The validator's error. */
interface Finding {
  /** `/headers/if-match`, `/query/limit`, `/params/location`, `/body/subject/id`. */
  readonly path: string;
  readonly message: string;
  /** `required.openapi.validation`; only where a schema was broken. */
  readonly errorCode?: string;
}

interface Rejection {
  readonly status: number;
  readonly path: string;
  readonly message: string;
  readonly errors?: readonly Finding[];
}

const headerNames: Readonly<Record<string, string>> = {
  'if-match': 'If-Match',
  'if-none-match': 'If-None-Match',
  'idempotency-key': 'Idempotency-Key',
};

/** The headers required by routes; the lack of each has a reason of its own. */
const missingHeaders = {
  'If-Match': ['missing_if_match', 'The header If-Match is required here: send the ETag you know, or *.'],
  'Idempotency-Key': [
    'missing_idempotency_key',
    'The header Idempotency-Key is required here: a new random one for each new request.',
  ],
} as const;

/**
 * Operations 1 and 2: a write without its precondition.
 * @param isCreate whether the request says that there is nothing yet, by `If-None-Match`
 */
export function missingHeader(field: keyof typeof missingHeaders, isCreate = false): Refusal {
  const [reason, message] = missingHeaders[field];
  const way = isCreate
    ? ' To create a document, use POST /v1/documents, or PUT /v1/files/LOCATION with that header.'
    : '';
  return invalidRequest(reason, message + way, { field });
}

const maxNameLength = 100;

/**
 * Explains the fault of an invalid request in our own words, and names the field.
 * @param nameKnown names the route's query parameters
 * @param sent the query and the body, from which an unknown value is quoted
 */
export function explainInvalid(
  error: unknown,
  nameKnown: () => readonly string[],
  sent: { readonly query: unknown; readonly body: unknown },
): Refusal {
  const { status, errors = [], path, message } = error as Rejection;
  if (status !== 400) return internal(error);
  const [finding] = errors;
  if (finding?.errorCode === undefined) {
    const name = nameField(path).field;
    if (message.startsWith('Unknown query parameter')) return unknownParameter(name, nameKnown());
    return invalidRequest('bad_field', `The query parameter ${name} is empty.`, { field: name });
  }
  return explainFinding(finding, finding.errorCode.split('.')[0] ?? '', find(sent, finding.path));
}

/** What was sent at `/query/kind/0` or `/body/subject/type`. */
function find(sent: unknown, path: string): unknown {
  let found = sent;
  for (const name of path.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, unescape(name))) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[unescape(name)];
  }
  return found;
}

/** Of a JSON pointer (RFC 6901 §4). */
const unescape = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');

function explainFinding(finding: Finding, keyword: string, sent: unknown): Refusal {
  const { what, field } = nameField(finding.path);
  if (keyword === 'required') {
    if (field === 'If-Match' || field === 'Idempotency-Key') return missingHeader(field);
    return invalidRequest('missing_field', `The ${what} ${field} is required.`, { field });
  }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return invalidRequest('unknown_field', `There is no field ${field}.`, { field });
  }
  const hint =
    what === 'query parameter' && isTimeWithBlank(sent) ? ' In a query, send the + of its offset as %2B.' : '';
  return invalidRequest('bad_field', `The ${what} ${field} ${describeRule(finding.message, sent)}.${hint}`, { field });
}

function nameField(path: string): { readonly what: string; readonly field: string } {
  const [, place = '', ...names] = path.split('/');
  const name = names.map(unescape).join('.');
  const short = name.slice(0, maxNameLength);
  if (place === 'headers') return { what: 'header', field: headerNames[short] ?? short };
  if (place === 'query') return { what: 'query parameter', field: short };
  return { what: 'field', field: short === '' ? 'body' : short };
}

/** Whether it is a time whose + came as a blank, as in every query. */
function isTimeWithBlank(sent: unknown): boolean {
  return typeof sent === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,20} \d\d:\d\d$/.test(sent);
}

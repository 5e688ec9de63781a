import { formatTime } from '../../domain/clock.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { html, type Html } from '../../http/html.js';
import { csrfField, renderPage, type PageForm } from './render-page.js';

export interface ShownSession {
  readonly id: string;
  /** The session of this request. */
  readonly isCurrent: boolean;
  /** In words, e.g. `Firefox on Linux`. */
  readonly browser: string;
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly lastSeenAt: number;
}

/** An application acting as the person. */
export type ShownConsent = Pick<
  OAuthGrant,
  'id' | 'clientName' | 'redirectHost' | 'workspace' | 'scopes' | 'createdAt' | 'lastUsedAt'
>;

/** A key that acts as a principal. */
export interface ShownSessionKey {
  /** Workspace and id, for the form. */
  readonly id: string;
  readonly workspace: string;
  readonly name: string;
  /** The name of who made it. */
  readonly maker: string;
  /** The name of whom it acts as. */
  readonly owner: string;
  readonly interfaces: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** What else goes on after a new password and was made under the one before. */
export interface ShownTrace {
  /** Kind, workspace and id, for the form. */
  readonly id: string;
  readonly kind: 'link' | 'grant' | 'webhook';
  /** Names, for people. */
  readonly what: string;
  readonly workspace: string;
  readonly createdAt: number;
}

const kindsOfTraces: Readonly<Record<ShownTrace['kind'], string>> = {
  link: 'Open sign-in link for',
  grant: 'Grant on the whole workspace to',
  webhook: 'Webhook',
};

export interface SessionsData extends PageForm {
  readonly sessions: readonly ShownSession[];
  readonly consents: readonly ShownConsent[];
  /** Keys that another principal made for the person. */
  readonly given: readonly ShownSessionKey[];
  /** Keys that the person made under the password before; undefined where it was not asked. */
  readonly made?: readonly ShownSessionKey[] | undefined;
  /** What else was made then and goes on; undefined where it was not asked. */
  readonly traces?: readonly ShownTrace[] | undefined;
  /** The moment from which they are asked for, for the way back. */
  readonly since?: string | undefined;
}

function showKey({ base, csrf, since }: SessionsData, key: ShownSessionKey): Html {
  return html`<li>
    <div class="who">
      <strong>${key.name}</strong>
      <div class="soft small">
        made by ${key.maker}, acts as ${key.owner} in ${key.workspace}, opens ${key.interfaces.join(', ')}, since
        ${timeTag(key.createdAt)},
        ${key.lastUsedAt === null ? 'not used so far' : html`last used ${timeTag(key.lastUsedAt)}`}
      </div>
    </div>
    <form method="post" action="${base}/signin/sessions">
      ${csrfField(csrf)}
      <input type="hidden" name="key" value="${key.id}" />
      ${since !== undefined && html`<input type="hidden" name="since" value="${since}" />`}
      <button class="plain" type="submit" aria-label="End the key ${key.name} in ${key.workspace}">End</button>
    </form>
  </li>`;
}

function showTrace({ base, csrf, since }: SessionsData, trace: ShownTrace): Html {
  const title = `${kindsOfTraces[trace.kind]} ${trace.what}`;
  return html`<li>
    <div class="who">
      <strong>${title}</strong>
      <div class="soft small">in ${trace.workspace}, since ${timeTag(trace.createdAt)}</div>
    </div>
    <form method="post" action="${base}/signin/sessions">
      ${csrfField(csrf)}
      <input type="hidden" name="trace" value="${trace.id}" />
      ${since !== undefined && html`<input type="hidden" name="since" value="${since}" />`}
      <button class="plain" type="submit" aria-label="End: ${title}, in ${trace.workspace}">End</button>
    </form>
  </li>`;
}

function showConsent({ base, csrf }: SessionsData, consent: ShownConsent): Html {
  const { id, clientName, redirectHost, workspace, scopes, createdAt, lastUsedAt } = consent;
  const may = scopes.includes('org:write') ? 'reads and writes' : 'reads';
  return html`<li>
    <div class="who">
      <strong>${clientName}</strong>
      <div class="soft small">
        ${may} in ${workspace}, answers to ${redirectHost}, since ${timeTag(createdAt)},
        ${lastUsedAt === null ? 'not used so far' : html`last used ${timeTag(lastUsedAt)}`}
      </div>
    </div>
    <form method="post" action="${base}/signin/sessions">
      ${csrfField(csrf)}
      <input type="hidden" name="consent" value="${id}" />
      <button class="plain" type="submit" aria-label="End what ${clientName} may do in ${workspace}">End</button>
    </form>
  </li>`;
}

/** A time for people, in UTC, since no script knows their time zone. */
export function timeTag(at: number): Html {
  const text = formatTime(at);
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** The person's sessions, to end one or all; and the applications acting as them, to end each. */
export function sessionsPage(data: SessionsData): string {
  const { base, csrf, sessions, consents } = data;
  const { given, made, traces = [] } = data;
  const body = html`<h1>Where you are signed in</h1>
    ${
      made !== undefined &&
      html`<h2>Made under your old password</h2>
        <p>
          ${
            made.length + traces.length === 0
              ? 'None of it works any more.'
              : 'This goes on working. End what you do not know: whoever had your old password may have made it. A sign-in link can be of another admin.'
          }
        </p>
        <ul class="plain-list">
          ${made.map((key) => showKey(data, key))} ${traces.map((trace) => showTrace(data, trace))}
        </ul>
        <p><a class="button full" href="${base}/signin">Go on</a></p>
        <h2>Your browsers</h2>`
    }
    <ul class="plain-list">
      ${sessions.map(
        (session) =>
          html`<li>
            <div class="who">
              <strong>${session.browser}</strong>
              ${session.isCurrent && html`<span class="badge">this browser</span>`}
              <div class="soft small">
                from ${session.address}, since ${timeTag(session.startedAt)}, last seen ${timeTag(session.lastSeenAt)}
              </div>
            </div>
            <form method="post" action="${base}/signin/sessions">
              ${csrfField(csrf)}
              <input type="hidden" name="session" value="${session.id}" />
              <button
                class="plain"
                type="submit"
                aria-label="End the session of ${session.browser} from ${session.address}"
              >
                End
              </button>
            </form>
          </li>`,
      )}
    </ul>
    <div class="row">
      <form method="post" action="${base}/signin/sessions">
        ${csrfField(csrf)}
        <input type="hidden" name="session" value="all" />
        <button class="full" type="submit">
          ${given.length === 0 ? 'End all of them' : 'End all of them, and the keys below'}
        </button>
      </form>
      <form method="post" action="${base}/signin/out">
        ${csrfField(csrf)}
        <button class="plain full" type="submit">Sign out</button>
      </form>
      <a class="button plain" href="${base}/signin">Back</a>
    </div>
    ${
      given.length > 0 &&
      html`<h2>Keys that somebody else made for you</h2>
        <p class="soft">Who made a key can act as you with it. Your own keys are listed in the console.</p>
        <ul class="plain-list">
          ${given.map((key) => showKey(data, key))}
        </ul>`
    }
    <h2>Applications that act as you</h2>
    ${consents.length === 0 && html`<p class="soft">None. They ask you, on a page like this one, before they may.</p>`}
    ${
      consents.length > 0 &&
      html`<ul class="plain-list">
        ${consents.map((consent) => showConsent(data, consent))}
      </ul>`
    }`;
  return renderPage(data, { title: 'Where you are signed in', body, isWide: true });
}

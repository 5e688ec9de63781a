import { html, type Html } from '../../http/html.js';
import { csrfField, renderPage, type PageForm } from './render-page.js';

export interface ConsentData extends PageForm {
  /** Where the answer is posted, with the base. */
  readonly action: string;
  /** The application's own name: every application may choose any. */
  readonly clientName: string;
  /**
   * The address of the application's description, where its id is one. All of it is shown: on a host with many owners,
   * the path reveals the owner.
   */
  readonly clientDocument?: URL | undefined;
  /** Where the browser is sent with the answer: host and port, or the scheme of an application. */
  readonly redirectHost: string;
  /** Whether it is this person's own computer, where any program can listen. */
  readonly redirectsToLoopback: boolean;
  /** The signed-in person. */
  readonly displayName: string;
  readonly signInName: string;
  /** Whether the application asks to write, too. */
  readonly asksToWrite: boolean;
  /** Whether the box is ticked: not where it was unticked before. */
  readonly mayWrite?: boolean | undefined;
  /** The person's workspaces: more than one makes a choice. */
  readonly workspaces: readonly ShownWorkspace[];
}

export interface ShownWorkspace {
  readonly name: string;
  readonly title: string;
  /** The person's name there. */
  readonly displayName: string;
  readonly chosen?: boolean;
}

/**
 * Asks whether an application may act as the person. The form sends `csrf`, `decision` (`allow` or `deny`) and
 * `workspace`. It also sends `write=1` where writing stays ticked.
 */
export function consentPage(data: ConsentData): string {
  const { action, csrf, clientName, clientDocument, redirectHost, redirectsToLoopback } = data;
  const body = html`<h1>Let ${clientName} act as you?</h1>
    <p class="soft">
      You are signed in as <strong>${data.displayName}</strong> (${data.signInName}). It will reach what you reach, and
      what it does is recorded under your name.
    </p>
    <dl class="facts small">
      <dt>Described at</dt>
      <dd>${showAddress(clientDocument)}</dd>
      <dt>Answer goes to</dt>
      <dd>${redirectHost}</dd>
    </dl>
    ${
      redirectsToLoopback &&
      html`<p class="notice small">
        <strong>The answer goes to a program on this computer.</strong> Any program that runs here could have asked. Go
        on only if you started ${clientName} just now.
      </p>`
    }
    <form method="post" action="${action}">
      ${csrfField(csrf)} ${chooseWorkspace(data)}
      <fieldset>
        <legend>It may</legend>
        <div class="choice">
          <svg class="fixed" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d="m4 10.5 4 4 8-9" fill="none" stroke="currentColor" stroke-width="2.25" />
          </svg>
          <div><strong>Read</strong><span class="what">List, search and read what you can read.</span></div>
        </div>
        ${
          data.asksToWrite &&
          html`<label class="choice">
            <input type="checkbox" name="write" value="1" ${data.mayWrite !== false && html`checked`} />
            <span>
              <strong>Write</strong>
              <span class="what">Create, change and delete where you can. Untick it to let it read only.</span>
            </span>
          </label>`
        }
      </fieldset>
      <div class="row">
        <button type="submit" name="decision" value="allow">Allow</button>
        <button class="plain" type="submit" name="decision" value="deny">Deny</button>
      </div>
    </form>`;
  return renderPage(data, { title: `Let ${clientName} act as you?`, body });
}

/** The host stands out, since it identifies the application best. */
function showAddress(address: URL | undefined): Html | string {
  if (address === undefined) return 'nowhere: it gave its name itself';
  const { protocol, host, pathname, search } = address;
  return html`${protocol}//<strong>${host}</strong>${pathname}${search}`;
}

function chooseWorkspace({ workspaces }: ConsentData) {
  const [only, ...others] = workspaces;
  if (only === undefined) return undefined;
  if (others.length === 0) return html`<input type="hidden" name="workspace" value="${only.name}" />`;
  const chosen = workspaces.find((workspace) => workspace.chosen === true) ?? only;
  return html`<fieldset>
    <legend>In which workspace</legend>
    ${workspaces.map(
      ({ name, title, displayName }) =>
        html`<label class="choice">
          <input type="radio" name="workspace" value="${name}" required ${name === chosen.name && html`checked`} />
          <span>
            <strong>${title}</strong>
            <span class="what">${title !== name && html`${name}, `}as ${displayName}</span>
          </span>
        </label>`,
    )}
  </fieldset>`;
}

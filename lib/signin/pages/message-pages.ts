import { html, type Html } from '../../http/html.js';
import { renderPage, type PageFrame } from './render-page.js';

/** For people without their password: the service sends no mail, so an admin makes a new link. */
export function forgottenPage(data: PageFrame): string {
  const body = html`<h1>Forgotten password</h1>
    <p>
      Ask an admin of your workspace for a <strong>one-time link</strong>. It lets you choose a new password, works
      once, and for a day.
    </p>
    <p class="soft">
      If you are that admin: run this on the machine where Cartulary runs. <code>cartulary principal list</code> shows
      the ids. In a checkout, commands begin with <code>npx</code>.
    </p>
    <pre>cartulary link PRINCIPAL</pre>
    <p><a href="${data.base}/signin">Back to signing in</a></p>`;
  return renderPage(data, { title: 'Forgotten password', body });
}

/** A link that does not work, for any reason. */
export function linkSpentPage(data: PageFrame): string {
  const body = html`<h1>This link does not work any more</h1>
    <p>It was used already, or replaced by a newer one, or is older than a day, or a part of it is missing.</p>
    <p>Ask an admin for a new one. If you have a password already, just sign in.</p>
    <p><a class="button" href="${data.base}/signin">Sign in</a></p>`;
  return renderPage(data, { title: 'This link does not work any more', body });
}

/**
 * Announces the next page, for the moment until the browser opens it. A redirect as a form's answer would be held to
 * the policy of the form's page, at every further address.
 * @param to an address, or a path of this service with the base
 */
export function goingOnPage(data: PageFrame & { readonly to: string; readonly title?: string }): string {
  const { title = 'You are signed in', to } = data;
  const body = html`<h1>${title}</h1>
    <p><a href="${to}">Go on</a></p>`;
  return renderPage(data, { title, body, goesOnTo: to });
}

export function signedOutPage(data: PageFrame): string {
  const body = html`<h1>You are signed out</h1>
    <p class="soft">Keys of your own, and applications that you let act as you, go on working.</p>
    <p><a class="button full" href="${data.base}/signin">Sign in again</a></p>`;
  return renderPage(data, { title: 'You are signed out', body });
}

export interface ErrorData extends PageFrame {
  readonly title: string;
  /** The fault, and the remedy. */
  readonly message: string;
  readonly requestId: string;
  /** A way on: a path with the base. */
  readonly next?: { readonly path: string; readonly label: string } | undefined;
}

/** Something failed. A person who asks for help copies the request's id. */
export function errorPage(data: ErrorData): string {
  const { title, message, requestId, next } = data;
  const body: Html = html`<h1>${title}</h1>
    <p>${message}</p>
    ${next !== undefined && html`<p><a class="button" href="${next.path}">${next.label}</a></p>`}
    <p class="soft small" id="ask">If you ask for help, name this request:</p>
    <pre class="small" aria-labelledby="ask" role="group">${requestId}</pre>`;
  return renderPage(data, { title, body });
}

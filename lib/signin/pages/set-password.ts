import { html } from '../../http/html.js';
import { alertBox, csrfField, renderPage, type PageForm } from './render-page.js';

export interface SetPasswordData extends PageForm {
  /** The one-time link's secret, for the form to send back. */
  readonly link: string;
  /** The person's name for signing in. */
  readonly signInName: string;
  readonly displayName: string;
  /** The title of the workspace that the link is of. */
  readonly workspace: string;
  /** Whether there was a password before. */
  readonly isFirst: boolean;
  readonly minPasswordLength: number;
  readonly error?: string | undefined;
}

/** Where a one-time link leads: the person chooses a password, and is signed in. */
export function setPasswordPage(data: SetPasswordData): string {
  const { base, csrf, link, signInName, displayName, workspace, isFirst, minPasswordLength, error } = data;
  const title = isFirst ? 'Welcome' : 'Choose a new password';
  const described = error === undefined ? 'rule' : 'problem rule';
  const invalid = error !== undefined && html` aria-invalid="true"`;
  const body = html`<h1>${isFirst ? `Welcome, ${displayName}` : title}</h1>
    <p class="soft">
      ${
        isFirst
          ? html`You have a place in <strong>${workspace}</strong>. Choose a password to sign in with from now on.`
          : 'The old password stops working, every browser where you are signed in is signed out, and applications that act as you have to ask you again.'
      }
    </p>
    ${alertBox(error)}
    <form method="post" action="${base}/signin/link">
      ${csrfField(csrf)}
      <input type="hidden" name="link" value="${link}" />
      <div class="field">
        <label class="beside" for="name">You sign in as</label>
        <input type="text" id="name" value="${signInName}" autocomplete="username" readonly />
      </div>
      <div class="field">
        <label class="beside" for="password">New password</label>
        <input
          type="password"
          id="password"
          name="password"
          autocomplete="new-password"
          minlength="${minPasswordLength}"
          maxlength="1024"
          required
          autofocus
          aria-describedby="${described}"
          ${invalid}
        />
        <span class="hint" id="rule"
          >At least ${minPasswordLength} characters. A few words in a row are easy to keep.</span
        >
      </div>
      <div class="field">
        <label class="beside" for="again">The same again</label>
        <input
          type="password"
          id="again"
          name="again"
          autocomplete="new-password"
          maxlength="1024"
          required
          ${invalid}
        />
      </div>
      <button class="full" type="submit">
        ${isFirst ? 'Set password and sign in' : 'Change password and sign in'}
      </button>
    </form>`;
  return renderPage(data, { title, body });
}

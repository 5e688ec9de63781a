import { html } from '../../http/html.js';
import { alertBox, csrfField, renderPage, type PageForm } from './render-page.js';

export interface SignInAgainData extends PageForm {
  /** Of the person who is signed in. */
  readonly signInName: string;
  /** Where to go afterwards: a path of this service, checked already. */
  readonly returnTo: string;
  readonly error?: string | undefined;
  /** Another provider for signing in, by the name on its button. */
  readonly upstream?: string | undefined;
}

/** A signed-in person proves once more who they are. */
export function signInAgainPage(data: SignInAgainData): string {
  const { base, csrf, signInName, returnTo, error, upstream } = data;
  const hidden = html`${csrfField(csrf)} <input type="hidden" name="return" value="${returnTo}" />`;
  const described = error !== undefined && html` aria-invalid="true" aria-describedby="problem"`;
  const body = html`<h1>Sign in again</h1>
    <p class="soft">What you are about to do cannot be taken back. Show that it is still you at this browser.</p>
    ${alertBox(error)}
    <form method="post" action="${base}/signin/again">
      ${hidden}
      <div class="field">
        <label class="beside" for="name">You are signed in as</label>
        <input type="text" id="name" value="${signInName}" autocomplete="username" readonly />
      </div>
      <div class="field">
        <label class="beside" for="password">Password</label>
        <input
          type="password"
          id="password"
          name="password"
          autocomplete="current-password"
          maxlength="1024"
          required
          autofocus
          ${described}
        />
      </div>
      <button class="full" type="submit">Sign in again</button>
    </form>
    ${
      upstream !== undefined &&
      html`<p class="or">or</p>
        <form method="post" action="${base}/signin/again/upstream">
          ${hidden}
          <button class="full plain" type="submit">Sign in again with ${upstream}</button>
        </form>`
    }
    <p><a class="button plain full" href="${returnTo}">Back without signing in</a></p>`;
  return renderPage(data, { title: 'Sign in again', body });
}

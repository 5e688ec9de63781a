import { html } from '../../http/html.js';
import { alertBox, csrfField, renderPage, type PageForm } from './render-page.js';

export interface SignInData extends PageForm {
  /** Where to go afterwards: a path of this service, checked already. */
  readonly returnTo?: string | undefined;
  /** As typed before. */
  readonly name?: string | undefined;
  /** The fault of the last attempt: one sentence for all possible ones. */
  readonly error?: string | undefined;
  /** Another provider for signing in, by the name on its button. */
  readonly upstream?: string | undefined;
}

/** Name and password, or another provider. */
export function signInPage(data: SignInData): string {
  const { base, csrf, returnTo, name = '', error, upstream } = data;
  const hidden = html`${csrfField(csrf)}
  ${returnTo !== undefined && html`<input type="hidden" name="return" value="${returnTo}" />`}`;
  const isWrong = error !== undefined;
  const described = isWrong && html` aria-invalid="true" aria-describedby="problem"`;
  const body = html`<h1>Sign in</h1>
    ${alertBox(error)}
    <form method="post" action="${base}/signin">
      ${hidden}
      <div class="field">
        <label class="beside" for="name">E-mail or sign-in name</label>
        <input
          type="text"
          id="name"
          name="name"
          value="${name}"
          autocomplete="username"
          autocapitalize="none"
          autocorrect="off"
          spellcheck="false"
          maxlength="254"
          required
          ${name === '' && html`autofocus`}
          ${described}
        />
      </div>
      <div class="field">
        <div class="beside">
          <label for="password">Password</label>
          <a class="small" href="${base}/signin/forgotten">Forgotten password?</a>
        </div>
        <input
          type="password"
          id="password"
          name="password"
          autocomplete="current-password"
          maxlength="1024"
          required
          ${name !== '' && html`autofocus`}
          ${described}
        />
      </div>
      <button class="full" type="submit">Sign in</button>
    </form>
    ${
      upstream !== undefined &&
      html`<p class="or">or</p>
        <form method="post" action="${base}/signin/upstream">
          ${hidden}
          <button class="full plain" type="submit">Sign in with ${upstream}</button>
        </form>`
    }`;
  return renderPage(data, { title: 'Sign in', body });
}

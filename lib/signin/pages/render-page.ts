import { protections } from '../../http/protections.js';
import { html, type Html } from '../../http/html.js';
import { iconPath } from './icon.js';
import { stylesheetPath } from './stylesheet.js';

/** The data of every page. */
export interface PageFrame {
  /** A proxy's path prefix for the service; '' for the root. No slash at the end. */
  readonly base: string;
}

/** A posted form. */
export interface PageForm extends PageFrame {
  /** Proves that the form came from us. */
  readonly csrf: string;
}

interface Content {
  readonly title: string;
  readonly body: Html;
  /** The path of the browser's automatic next step. */
  readonly goesOnTo?: string;
  /** More room, for a list. */
  readonly isWide?: boolean;
}

/** A charter with its seal. */
const mark = html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
  <path
    d="M6 2.75h9.5L19 6.25v10.5a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1Z"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linejoin="round"
  />
  <path d="M8.5 7h5M8.5 10h7" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
  <circle class="seal" cx="12" cy="17.5" r="4" />
</svg>`;

/** A whole page: complete HTML, with one stylesheet and no script. */
export function renderPage({ base }: PageFrame, { title, body, goesOnTo, isWide = false }: Content): string {
  const refresh = goesOnTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${goesOnTo}" />`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        ${refresh}
        <title>${title} · Cartulary</title>
        <link rel="icon" type="image/svg+xml" href="${base}${iconPath}" />
        <link rel="stylesheet" href="${base}${stylesheetPath}" />
      </head>
      <body>
        <header class="top">${mark}<span>Cartulary</span></header>
        <main class="${isWide ? 'card wide' : 'card'}">${body}</main>
      </body>
    </html>`;
  return page.text.replaceAll(/\n\s+/g, '\n');
}

/** The hidden field with the proof. */
export function csrfField(csrf: string): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}" />`;
}

/** The fault in the sent form, read out when the page comes. */
export function alertBox(error: string | undefined): Html | false {
  return error !== undefined && html`<p class="alert" role="alert" id="problem">${error}</p>`;
}

/**
 * Headers of every page: nothing may be run, framed, kept or referred to.
 * @param formTargets allowed targets of a form's answer: origins, or schemes with their colon
 */
export function pageHeaders(formTargets: readonly string[] = []): Readonly<Record<string, string>> {
  const targets = formTargets.filter((target) => /^(?:https?:\/\/[\w.:-]+|[a-z][a-z0-9+.-]*:)$/i.test(target));
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      `form-action ${["'self'", ...targets].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
    ...protections,
  };
}

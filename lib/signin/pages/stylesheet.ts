import { createHash } from 'node:crypto';

const css = String.raw;

/** The look of all pages: the system's own type, light and dark as the reader has it, from 320 pixels up. */
export const stylesheet = css`
  :root {
    color-scheme: light dark;
    --ground: #f4f2ee;
    --card: #ffffff;
    --ink: #1d1b18;
    --soft: #5c5750;
    --line: #d9d4cb;
    --field: #857d72;
    --accent: #7a2e2e;
    --accent-hover: #612222;
    --on-accent: #ffffff;
    --link: #7a2e2e;
    --alert: #9b1c1c;
    --alert-ground: #fdf0ef;
    --notice-ground: #fbf5e2;
    --notice-line: #b08a1e;
    --focus: #1f5fbf;
    font:
      1rem/1.5 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Noto Sans',
      sans-serif;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #161513;
      --card: #201e1b;
      --ink: #f1ede6;
      --soft: #b3aca1;
      --line: #3b3732;
      --field: #8d857a;
      --accent: #e3a29a;
      --accent-hover: #efbdb7;
      --on-accent: #2a1210;
      --link: #e8b0a9;
      --alert: #ffb4ab;
      --alert-ground: #3a1d1a;
      --notice-ground: #332b14;
      --notice-line: #d2ac45;
      --focus: #8fbcff;
    }
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  html {
    background: var(--ground);
    color: var(--ink);
    -webkit-text-size-adjust: 100%;
    text-size-adjust: 100%;
  }
  body {
    margin: 0 auto;
    padding: clamp(1rem, 6vh, 4.5rem) 1rem 2rem;
    display: flex;
    flex-direction: column;
    align-items: center;
    gap: 1.25rem;
    min-height: 100vh;
  }
  .top {
    display: flex;
    align-items: center;
    gap: 0.6rem;
    font-weight: 650;
    font-size: 1.125rem;
    letter-spacing: 0.005em;
  }
  .mark {
    width: 1.75rem;
    height: 1.75rem;
  }
  .seal {
    fill: var(--accent);
    stroke: var(--ground);
    stroke-width: 1.5px;
  }
  .card {
    width: 100%;
    max-width: 26rem;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 0.875rem;
    padding: clamp(1.25rem, 5vw, 2rem);
    box-shadow: 0 1px 2px rgb(0 0 0 / 5%);
    overflow-wrap: anywhere;
  }
  .card.wide {
    max-width: 40rem;
  }
  h1 {
    font-size: 1.375rem;
    line-height: 1.25;
    font-weight: 650;
    margin: 0 0 0.5rem;
    text-wrap: balance;
  }
  h2 {
    font-size: 1rem;
    font-weight: 650;
    margin: 1.5rem 0 0.5rem;
  }
  p {
    margin: 0 0 1rem;
  }
  .card > :last-child {
    margin-bottom: 0;
  }
  .soft {
    color: var(--soft);
  }
  .small {
    font-size: 0.875rem;
  }
  a {
    color: var(--link);
    text-underline-offset: 0.18em;
  }
  a:hover {
    text-decoration-thickness: 2px;
  }
  form {
    margin: 1.25rem 0 0;
  }
  label,
  legend {
    font-weight: 550;
  }
  .field {
    display: block;
    margin: 0 0 1rem;
  }
  .beside {
    display: flex;
    justify-content: space-between;
    align-items: baseline;
    flex-wrap: wrap;
    gap: 0 1rem;
    margin-bottom: 0.3rem;
  }
  input[type='text'],
  input[type='password'] {
    display: block;
    width: 100%;
    min-height: 2.75rem;
    padding: 0.5rem 0.75rem;
    font: inherit;
    color: inherit;
    background: var(--card);
    border: 1px solid var(--field);
    border-radius: 0.5rem;
  }
  input[aria-invalid='true'] {
    border-color: var(--alert);
    border-width: 2px;
  }
  input[readonly] {
    background: var(--ground);
    border-style: dashed;
  }
  .hint {
    display: block;
    margin: 0.3rem 0 0;
    color: var(--soft);
    font-size: 0.875rem;
    font-weight: 400;
  }
  button,
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    min-height: 2.75rem;
    padding: 0.5rem 1.1rem;
    font: inherit;
    font-weight: 600;
    color: var(--on-accent);
    background: var(--accent);
    border: 1px solid transparent;
    border-radius: 0.5rem;
    cursor: pointer;
    text-decoration: none;
  }
  button:hover,
  .button:hover {
    background: var(--accent-hover);
  }
  button.plain,
  .button.plain {
    color: var(--ink);
    background: transparent;
    border-color: var(--field);
  }
  button.plain:hover,
  .button.plain:hover {
    background: var(--ground);
  }
  button.full,
  .button.full {
    width: 100%;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    margin-top: 1.25rem;
  }
  .row > * {
    flex: 1 1 8rem;
  }
  .row form {
    margin: 0;
    display: flex;
  }
  .row form > button {
    flex: 1;
  }
  :focus-visible {
    outline: 3px solid var(--focus);
    outline-offset: 2px;
  }
  .alert,
  .notice {
    padding: 0.7rem 0.9rem;
    border-radius: 0.5rem;
    border-left: 4px solid var(--alert);
    background: var(--alert-ground);
    color: var(--alert);
  }
  .notice {
    border-left-color: var(--notice-line);
    background: var(--notice-ground);
    color: inherit;
  }
  .or {
    display: flex;
    align-items: center;
    gap: 0.75rem;
    margin: 1.25rem 0 0;
    color: var(--soft);
    font-size: 0.875rem;
  }
  .or::before,
  .or::after {
    content: '';
    flex: 1;
    border-top: 1px solid var(--line);
  }
  fieldset {
    border: 0;
    margin: 0 0 1.25rem;
    padding: 0;
    min-width: 0;
  }
  legend {
    padding: 0;
    margin-bottom: 0.4rem;
  }
  .choice {
    display: grid;
    grid-template-columns: 1.25rem 1fr;
    gap: 0 0.75rem;
    align-items: start;
    padding: 0.75rem;
    border: 1px solid var(--line);
    border-radius: 0.5rem;
    margin-bottom: 0.5rem;
  }
  .choice input,
  .choice .fixed {
    width: 1.25rem;
    height: 1.25rem;
    margin: 0.125rem 0 0;
    accent-color: var(--accent);
  }
  label.choice {
    cursor: pointer;
  }
  .choice strong {
    display: block;
    font-weight: 600;
  }
  .choice .what {
    color: var(--soft);
    font-size: 0.875rem;
    font-weight: 400;
  }
  dl.facts {
    margin: 0 0 1rem;
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 0.3rem 1rem;
  }
  dl.facts dt {
    color: var(--soft);
  }
  dl.facts dd {
    margin: 0;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  @media (max-width: 26rem) {
    dl.facts {
      grid-template-columns: 1fr;
      gap: 0;
    }
    dl.facts dd {
      margin-bottom: 0.5rem;
    }
  }
  time {
    white-space: nowrap;
  }
  code,
  .code {
    font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
    font-size: 0.9em;
  }
  pre {
    margin: 0 0 1rem;
    padding: 0.75rem;
    border: 1px solid var(--line);
    border-radius: 0.5rem;
    background: var(--ground);
    white-space: pre-wrap;
    font-size: 0.9375rem;
    user-select: all;
  }
  ul.plain-list {
    list-style: none;
    margin: 0 0 1rem;
    padding: 0;
    border-top: 1px solid var(--line);
  }
  ul.plain-list > li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
    padding: 0.8rem 0;
    border-bottom: 1px solid var(--line);
  }
  ul.plain-list .who {
    flex: 1 1 14rem;
    min-width: 0;
  }
  ul.plain-list form {
    margin: 0;
  }
  .badge {
    display: inline-block;
    padding: 0.05rem 0.5rem;
    border: 1px solid var(--field);
    border-radius: 1rem;
    font-size: 0.8125rem;
    font-weight: 500;
    white-space: nowrap;
  }
  @media (forced-colors: active) {
    .alert,
    .notice,
    .card {
      border: 1px solid CanvasText;
    }
  }
`.replaceAll(/^ {2}/gm, '');

/** Named by its content, so that it can be kept for good. */
export const stylesheetPath = `/signin/style-${createHash('sha256').update(stylesheet).digest('hex').slice(0, 12)}.css`;

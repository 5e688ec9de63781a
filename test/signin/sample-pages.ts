import { consentPage } from '../../lib/signin/pages/consent.js';
import { sessionsPage } from '../../lib/signin/pages/sessions.js';
import { setPasswordPage } from '../../lib/signin/pages/set-password.js';
import { signInAgainPage } from '../../lib/signin/pages/sign-in-again.js';
import { signInPage } from '../../lib/signin/pages/sign-in-page.js';
import {
  errorPage,
  forgottenPage,
  goingOnPage,
  linkSpentPage,
  signedOutPage,
} from '../../lib/signin/pages/message-pages.js';

/** Every page in every visibly different state. @param name stands wherever foreign text may stand */
export function samplePages(name = 'Ada'): Readonly<Record<string, string>> {
  const form = { base: '', csrf: 'proof' };
  const people = { displayName: name, signInName: `${name}@example.org` };
  const link = { ...form, ...people, workspace: name, link: 'secret', minPasswordLength: 12 };
  const consent = { ...form, ...people, action: '/signin/consent', clientName: `${name}'s editor`, asksToWrite: true };
  const one = [{ name: 'main', title: name, displayName: name }];
  const startedAt = Date.UTC(2026, 0, 5, 9);
  const key = {
    id: `main ${name}`,
    workspace: 'main',
    name,
    maker: name,
    owner: name,
    interfaces: ['rest', 'git'],
    createdAt: startedAt,
    lastUsedAt: null,
  };
  const session = { id: 'a', isCurrent: true, browser: 'Firefox on Linux', address: '203.0.113.7' };
  const frame = { base: '' };
  return {
    'sign-in': signInPage(form),
    'sign-in-wrong': signInPage({ ...form, name, error: `That does not match, ${name}.`, returnTo: `/signin?${name}` }),
    'sign-in-upstream': signInPage({ ...form, upstream: name }),
    'sign-in-again': signInAgainPage({ ...form, signInName: people.signInName, returnTo: '/console' }),
    'sign-in-again-wrong': signInAgainPage({
      ...form,
      signInName: people.signInName,
      returnTo: '/console',
      upstream: name,
      error: `That does not match, ${name}.`,
    }),
    welcome: setPasswordPage({ ...link, isFirst: true }),
    'new-password': setPasswordPage({ ...link, isFirst: false, error: 'The two are not the same.' }),
    consent: consentPage({
      ...consent,
      clientDocument: new URL('https://editor.example.com/apps/field-notes/client.json'),
      redirectHost: 'editor.example.com',
      redirectsToLoopback: false,
      workspaces: one,
    }),
    'consent-loopback': consentPage({
      ...consent,
      redirectHost: '127.0.0.1:33418',
      redirectsToLoopback: true,
      mayWrite: false,
      workspaces: [...one, { name: 'research', title: 'research', displayName: `${name} L.`, chosen: true }],
    }),
    'sessions-no-applications': sessionsPage({
      ...form,
      sessions: [{ ...session, startedAt, lastSeenAt: startedAt }],
      consents: [],
      given: [],
    }),
    'sessions-new-password': sessionsPage({
      ...form,
      sessions: [{ ...session, startedAt, lastSeenAt: startedAt }],
      consents: [],
      given: [],
      made: [{ ...key, owner: name }],
      traces: [{ id: `link main ${name}`, kind: 'link', what: name, workspace: 'main', createdAt: startedAt }],
      since: '1',
    }),
    sessions: sessionsPage({
      ...form,
      given: [key],
      consents: [
        {
          id: 'c',
          clientName: `${name}'s editor`,
          redirectHost: name,
          workspace: 'main',
          scopes: ['org:read', 'org:write'],
          createdAt: startedAt,
          lastUsedAt: startedAt,
        },
        {
          id: 'd',
          clientName: 'Reader',
          redirectHost: '127.0.0.1:33418',
          workspace: 'research',
          scopes: ['org:read'],
          createdAt: startedAt,
          lastUsedAt: null,
        },
      ],
      sessions: [
        { ...session, startedAt, lastSeenAt: startedAt + 60_000 },
        {
          ...session,
          id: 'b',
          isCurrent: false,
          browser: name,
          startedAt: startedAt - 86_400_000,
          lastSeenAt: startedAt,
        },
      ],
    }),
    forgotten: forgottenPage(frame),
    'link-spent': linkSpentPage(frame),
    'going-on': goingOnPage({ ...frame, to: `/signin?${name}` }),
    'signed-out': signedOutPage(frame),
    error: errorPage({
      ...frame,
      title: 'Something went wrong',
      message: `That was our fault, ${name}. Try again in a moment.`,
      requestId: 'req_0123456789abcdefghij',
      next: { path: '/signin', label: 'Sign in' },
    }),
  };
}

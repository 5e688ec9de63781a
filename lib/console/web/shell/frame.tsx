import {
  Activity,
  ChevronsUpDown,
  CircleUser,
  Files,
  Gauge,
  KeyRound,
  Plug,
  ScrollText,
  Search,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useConnection } from '../api/connection.ts';
import { signOut, type OwnWorkspace, type Session } from '../api/session.ts';
import type { MenuAction } from '../design/menu-list.tsx';
import { Menu } from '../design/menu.tsx';
import { SignInLink } from '../design/state.tsx';
import { showProblem } from '../design/toast.tsx';
import { addressOf, base } from '../navigation/addresses.ts';
import { KeyNotice } from './key-notice.tsx';
import { chooseTheme, useTheme, type Theme } from './theme.ts';

interface FrameProps {
  readonly session: Session;
  /** Undefined for a person without any. */
  readonly workspace: OwnWorkspace | undefined;
  /** The part of the address that names the screen. */
  readonly screen: string;
  readonly children: ReactNode;
}

/** What is around every screen: the way to the others, the person, and the state of the connection. */
export function Frame({ session, workspace, screen, children }: FrameProps): ReactNode {
  const main = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const first = useRef(path);
  useShortcuts(workspace?.name);
  useEffect(() => {
    // A new page is read from its start, unless it has chosen a field; the first one has the focus of the browser.
    const hasFocus = main.current?.contains(document.activeElement) === true;
    if (first.current !== path && !hasFocus) main.current?.focus({ preventScroll: true });
    first.current = '';
  }, [path]);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <ConnectionBanner />
      <header className="sidebar">
        <Brand session={session} workspace={workspace} />
        {workspace !== undefined && <Navigation workspace={workspace} screen={screen} />}
        <Account session={session} workspace={workspace} />
      </header>
      <main className="main" id="main" tabIndex={-1} ref={main}>
        {workspace !== undefined && workspace.keys_by_others > 0 && (
          <KeyNotice key={workspace.name} workspace={workspace} />
        )}
        {children}
      </main>
    </div>
  );
}

/** A charter with its seal. */
function Mark(): ReactNode {
  return (
    <svg className="brand-mark" viewBox="0 0 24 24" aria-hidden fill="none" stroke="currentColor" strokeWidth="1.5">
      <path d="M6 2.75h9.5L19 6.25v10.5a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1Z" strokeLinejoin="round" />
      <path d="M8.5 7h5M8.5 10h7" strokeLinecap="round" />
      <circle cx="12" cy="17.5" r="4" />
    </svg>
  );
}

function Brand({ session, workspace }: { session: Session; workspace: OwnWorkspace | undefined }): ReactNode {
  const [, navigate] = useLocation();
  const name = workspace?.title ?? 'Cartulary';
  if (session.workspaces.length < 2) {
    return (
      <Link href="/" className="brand">
        <Mark />
        <bdi className="truncate">{name}</bdi>
      </Link>
    );
  }
  const actions = session.workspaces.map((each) => ({
    // Another workspace can have the same title: the name tells them apart.
    label: each.title === each.name ? each.name : `${each.title} (${each.name})`,
    run: () => navigate(addressOf.folder(each.name, '')),
  }));
  return (
    <Menu label={`Workspace ${name}. Change workspace`} actions={actions} className="brand">
      <Mark />
      <bdi className="truncate">{name}</bdi>
      <ChevronsUpDown aria-hidden />
    </Menu>
  );
}

interface NavigationItem {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly href: string;
  /** The screens that belong to it. */
  readonly screens: readonly string[];
  readonly key?: string;
}

function Navigation({ workspace, screen }: { workspace: OwnWorkspace; screen: string }): ReactNode {
  const { name, is_admin: isAdmin, may_connect: mayConnect } = workspace;
  const items: NavigationItem[] = [
    { name: 'Documents', icon: Files, href: addressOf.folder(name, ''), screens: ['f', 'd', 'edit', 'new', 'history'] },
    { name: 'Search', icon: Search, href: addressOf.search(name), screens: ['search'], key: '/' },
    { name: 'What changed', icon: Activity, href: addressOf.changes(name), screens: ['changes', 'undo'] },
    { name: 'Trash', icon: Trash2, href: addressOf.trash(name), screens: ['trash', 'erase', 'erasures'] },
    ...(mayConnect
      ? [{ name: 'Connectors', icon: Plug, href: addressOf.connectors(name), screens: ['connectors', 'webhooks'] }]
      : []),
    ...(isAdmin
      ? [
          { name: 'Access', icon: KeyRound, href: addressOf.access(name), screens: ['access'] },
          { name: 'Overview', icon: Gauge, href: addressOf.overview(name), screens: ['overview'] },
        ]
      : []),
    { name: 'Audit log', icon: ScrollText, href: addressOf.whoRead(name), screens: ['audit'] },
  ];
  return (
    <nav className="nav" aria-label="Main">
      {items.map(({ name: label, icon: Icon, href, screens, key }) => (
        <Link
          key={label}
          href={href}
          className="nav-link"
          aria-current={screens.includes(screen) ? 'page' : undefined}
          aria-label={label}
        >
          <Icon aria-hidden />
          <span>{label}</span>
          {key !== undefined && <kbd aria-hidden>{key}</kbd>}
        </Link>
      ))}
    </nav>
  );
}

const themes: Readonly<Record<Theme, string>> = {
  system: 'Theme: same as device',
  light: 'Theme: light',
  dark: 'Theme: dark',
};
const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

function Account({ session, workspace }: Pick<FrameProps, 'session' | 'workspace'>): ReactNode {
  const [, navigate] = useLocation();
  const theme = useTheme();
  const leave = async (): Promise<void> => {
    try {
      await signOut();
      window.location.assign(`${base}/signin/out`);
    } catch (error) {
      showProblem(error);
    }
  };
  const actions: MenuAction[] = [
    { label: themes[theme], run: () => chooseTheme(nextTheme[theme]) },
    ...(workspace === undefined
      ? []
      : [
          { label: 'Your keys', run: () => navigate(addressOf.keys(workspace.name)) },
          { label: 'Your applications', run: () => navigate(addressOf.applications(workspace.name)) },
        ]),
    { label: 'Where you are signed in', run: () => window.location.assign(`${base}/signin/sessions`) },
    { label: 'Manual', run: () => window.location.assign(`${base}/docs/people`) },
    { label: 'Sign out', run: () => void leave(), startsGroup: true },
  ];
  return (
    <Menu label={`Account ${session.sign_in_name}`} actions={actions} className="account">
      <CircleUser aria-hidden />
      <bdi className="account-name">{session.sign_in_name}</bdi>
      <ChevronsUpDown aria-hidden />
    </Menu>
  );
}

/** One sentence while the service does not answer, or the session is over. */
function ConnectionBanner(): ReactNode {
  const connection = useConnection();
  if (connection === 'well') return null;
  return (
    <div className="connection" role="status">
      {connection === 'signed-out' ? (
        <>
          Your session has ended. Unsaved text is kept in this browser. <SignInLink />
        </>
      ) : connection === 'unavailable' ? (
        'The service cannot answer at the moment. Nothing is lost. Try again in a moment.'
      ) : (
        'The service cannot be reached. Changes are not saved until it is back.'
      )}
    </div>
  );
}

/** Whether keys typed there are text. */
function takesText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

/** The shortcuts of every screen: `/` and Cmd-K (Ctrl-K) go to the search. */
function useShortcuts(workspace: string | undefined): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (workspace === undefined) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const isSlash =
        event.key === '/' && !event.metaKey && !event.ctrlKey && !event.altKey && !takesText(event.target);
      const isCommandK =
        event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
      if ((!isSlash && !isCommandK) || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      navigate(addressOf.search(workspace));
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [workspace, navigate]);
}

/** An address known to be registered by a program on a person's machine, although its scheme is no domain name. */
interface KnownCallback {
  readonly program: string;
  readonly pattern: RegExp;
  /** Where it was seen. */
  readonly source: string;
}

/**
 * Schemes without a dot have no owner (RFC 8252 §7.1), and most known to a machine start something: an installer, a
 * terminal, a remote session. So only the schemes registered by agents' programs are taken. Each is taken as far as its
 * path leads to the program's own callback. A new program is a new row.
 */
const knownCallbacks: readonly KnownCallback[] = [
  {
    program: 'Cursor',
    pattern: /^cursor:\/\/anysphere\.cursor-(?:mcp|retrieval)\/oauth\//,
    source: 'cursor://anysphere.cursor-mcp/oauth/callback: modelcontextprotocol/python-sdk#897, laravel/mcp#173',
  },
  {
    program: 'Visual Studio Code, its forks, and their extensions',
    // The host is PUBLISHER.EXTENSION; without one, the path opens files, remote windows and installers.
    pattern: /^(?:vscode|vscode-insiders|vscodium|windsurf):\/\/[a-z0-9-]+\.[a-z0-9-]+\//i,
    source: 'vscode://vscode.github-authentication/…, vscode://saoudrizwan.claude-dev/…: microsoft/vscode, cline/cline',
  },
  {
    program: 'Claude',
    pattern: /^claude:\/\/claude\.ai\/mcp-auth-callback\//,
    source: 'claude://claude.ai/mcp-auth-callback/sdk: anthropics/claude-code#93671',
  },
  {
    program: 'Warp',
    pattern: /^warp(?:preview|dev)?:\/\/mcp\/oauth2callback$/,
    source: 'warp://mcp/oauth2callback: warpdotdev/warp',
  },
  {
    program: 'Raycast',
    pattern: /^raycast:\/\/oauth(?:$|[/?])/,
    source: 'raycast://oauth?package_name=…: developers.raycast.com, OAuth',
  },
];

/** A domain name backwards: its owner may use it as a scheme (RFC 8252 §7.1). */
const privateUse = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;

/** Schemes of that form owned by the operating system itself, which start parts of it. */
const ofSystems =
  /^(?:x-apple|com\.apple|com\.microsoft|microsoft|ms|windows|android|org\.(?:gnome|kde|freedesktop))\./;

/**
 * Whether an answer may be sent to a program by its scheme. Addresses with http or https are checked elsewhere.
 * @param uri a parsable one
 */
export function isProgramCallback(uri: string): boolean {
  // As it is sent later: with dots in its path resolved.
  const { protocol, href } = new URL(uri);
  if (privateUse.test(protocol)) return !ofSystems.test(protocol);
  return knownCallbacks.some(({ pattern }) => pattern.test(href));
}

import type * as library from 'oidc-provider';

/** The exports of oidc-provider. */
export type OAuthLibrary = typeof library;

/**
 * Loads oidc-provider. It prints notices for its own developers while it loads, mostly a wish for a newer Node. They go
 * to the log instead.
 */
export async function loadLibrary(onNotice: (notice: string) => void): Promise<OAuthLibrary> {
  const printer = globalThis.console;
  const before = { ...printer };
  const listen = (notice: unknown): void => onNotice(String(notice).replace(/^oidc-provider [A-Z]+: /, ''));
  Object.assign(printer, { info: listen, warn: listen });
  try {
    return await import('oidc-provider');
  } finally {
    Object.assign(printer, before);
  }
}

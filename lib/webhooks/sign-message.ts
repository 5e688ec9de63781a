import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/**
 * The headers of a message by the convention of Standard Webhooks. Each secret signs the id, the time and the body, so
 * that none of them can be exchanged. A receiver needs one signature that it can check.
 * @param secrets in the form `whsec_` and base64
 * @param at seconds since 1970
 */
export function signMessage(
  id: string,
  at: number,
  body: string,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const content = `${id}.${at}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signatures.join(' ') };
}

/** The message in an answer; undefined where there is none, such as when another program answers at the address. */
export function readMessage(body: string): Record<string, unknown> | undefined {
  // A line ends at CR or LF. The other line ends of Unicode can stand in text (WHATWG HTML §9.2.5).
  const line = body.startsWith('{') ? body : /(?:^|[\r\n])data: ([^\r\n]*)/.exec(body)?.[1];
  if (line === undefined) return undefined;
  try {
    const message = JSON.parse(line) as Record<string, unknown>;
    return message['jsonrpc'] === '2.0' ? message : undefined;
  } catch {
    return undefined;
  }
}

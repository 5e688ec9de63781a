import { apiAddress, apiOf, versionedDataOf } from '../../api/client.ts';
import { noteAnswer } from '../../api/connection.ts';
import { Problem, problemOf } from '../../api/problem.ts';
import { encodeLocation } from '../../navigation/addresses.ts';

export interface Sending {
  readonly workspace: string;
  readonly location: string;
  readonly file: File;
  /** The version to replace; left out for a new document. */
  readonly etag?: string;
  readonly signal: AbortSignal;
  /** @param part from 0 to 1 */
  readonly onProgress: (part: number) => void;
}

/**
 * Stores a file's bytes as a new document, or as the next version of one. It is sent by the older of the browser's two
 * interfaces, because the newer one does not tell how much has been sent.
 * @throws Problem; DOMException `AbortError` after an abort
 */
export async function sendFile({ workspace, location, file, etag, signal, onProgress }: Sending): Promise<void> {
  const { status, headers, text } = await new Promise<Answer>((resolve, reject) => {
    const sender = new XMLHttpRequest();
    sender.open('PUT', apiAddress(workspace, `/files/${encodeLocation(location)}`));
    sender.setRequestHeader('X-Cartulary-Console', '1');
    sender.setRequestHeader('Content-Type', file.type === '' ? 'application/octet-stream' : file.type);
    if (etag === undefined) sender.setRequestHeader('If-None-Match', '*');
    else sender.setRequestHeader('If-Match', etag);
    sender.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total));
    sender.addEventListener('load', () =>
      resolve({ status: sender.status, headers: headersOf(sender), text: sender.responseText }),
    );
    sender.addEventListener('error', () => reject(new Problem('UNREACHABLE', 'The service could not be reached.')));
    sender.addEventListener('abort', () => reject(new DOMException('The upload was cancelled.', 'AbortError')));
    signal.addEventListener('abort', () => sender.abort());
    if (signal.aborted) reject(new DOMException('The upload was cancelled.', 'AbortError'));
    else sender.send(file);
  });
  noteAnswer(status);
  if (status < 200 || status > 299) {
    const shown = new Response(null, { status: status === 0 ? 500 : status, headers });
    throw problemOf(shown, parse(text));
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function headersOf(sender: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const name of ['Retry-After', 'X-Request-Id']) {
    const value = sender.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The version that is at a location now. @throws Problem */
export async function readEtag(workspace: string, location: string): Promise<string> {
  const { data } = await versionedDataOf(
    apiOf(workspace).GET('/documents/{location}', { params: { path: { location } } }),
  );
  return data.etag;
}

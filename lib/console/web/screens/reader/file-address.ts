import { encodeLocation } from '../../navigation/addresses.ts';

interface FileOptions {
  readonly version?: string;
  /** Whether the browser saves it. */
  readonly isDownload?: boolean;
}

/** The address of a document's bytes, below the workspace's API. */
export function fileAddress(location: string, { version, isDownload = false }: FileOptions = {}): string {
  const query = new URLSearchParams();
  if (version !== undefined) query.set('version', version);
  if (isDownload) query.set('download', 'true');
  return `/files/${encodeLocation(location)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

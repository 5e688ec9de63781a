import { Download, FileQuestionMark, FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import { apiAddress } from '../../api/client.ts';
import { State } from '../../design/state.tsx';
import { fileAddress } from './file-address.ts';
import { FileText as TextOfFile } from './file-text.tsx';
import { formatSize } from '../../design/format-size.ts';
import type { Reading } from './use-reading.ts';

const shownImages = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']);

/** A document that is no text for this page: an image is shown, anything else is told about. */
export function OtherContent({ workspace, reading }: { workspace: string; reading: Reading }): ReactNode {
  const { location, name, version, media_type, size, kind, sha256 } = reading.document;
  const source = { version: version.id };
  const essence = media_type.split(';')[0] ?? '';
  if (shownImages.has(essence)) {
    return (
      <figure className="image-preview">
        <img src={apiAddress(workspace, fileAddress(location, source))} alt={name} />
        <figcaption className="soft small">
          {essence}, {formatSize(size)}
        </figcaption>
      </figure>
    );
  }
  const isText = kind === 'text';
  return (
    <>
      <State
        icon={isText ? FileText : FileQuestionMark}
        title={isText ? 'This text is too long to show here' : 'This file cannot be shown here'}
        actions={
          <a
            className="button primary"
            href={apiAddress(workspace, fileAddress(location, { ...source, isDownload: true }))}
            download={name}
          >
            <Download aria-hidden />
            Download file
          </a>
        }
      >
        <dl className="facts">
          <dt>Type</dt>
          <dd>{media_type}</dd>
          <dt>Size</dt>
          <dd>{formatSize(size)}</dd>
          <dt>SHA-256</dt>
          <dd className="mono">{sha256}</dd>
        </dl>
      </State>
      {!isText && <TextOfFile workspace={workspace} reading={reading} />}
    </>
  );
}

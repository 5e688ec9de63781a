import { CircleCheck, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Button, IconButton } from '../../design/button.tsx';
import { addressOf, nameOf } from '../../navigation/addresses.ts';
import {
  cancelUpload,
  cancelUploads,
  clearUploads,
  replaceTaken,
  retryUpload,
  useUploads,
  type Upload,
  type UploadSummary,
} from './uploads.ts';

/** The progress of all uploads, in a corner of every page. It stays until the person closes it. */
export function UploadPanel(): ReactNode {
  const uploads = useUploads();
  if (uploads.total === 0) return null;
  return (
    <section className="uploads" aria-label="Uploads">
      <header className="uploads-head">
        <h2>
          <span role="status">{titleOf(uploads)}</span>
        </h2>
        {uploads.isRunning ? (
          <Button size="small" look="quiet" onClick={cancelUploads}>
            Cancel all
          </Button>
        ) : (
          <IconButton label="Close the list of uploads" icon={X} onClick={clearUploads} />
        )}
      </header>
      {uploads.isRunning && (
        <progress className="bar" max={uploads.total} value={uploads.done} aria-label="Files stored" />
      )}
      {(uploads.sending.length > 0 || uploads.attention.length > 0) && (
        <ul className="uploads-list">
          {uploads.sending.map((upload) => (
            <Sending key={upload.id} upload={upload} />
          ))}
          {uploads.attention.map((upload) => (
            <Waiting key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
      {uploads.attentionCount > uploads.attention.length && (
        <p className="soft small uploads-more">More follow when these are settled.</p>
      )}
    </section>
  );
}

function titleOf({ isRunning, total, done, attentionCount }: UploadSummary): ReactNode {
  if (isRunning) return `Uploading ${total} ${total === 1 ? 'file' : 'files'}: ${done} stored`;
  if (attentionCount > 0) return `${done} stored, ${attentionCount} not stored`;
  return (
    <>
      <CircleCheck aria-hidden className="uploads-done" /> {done} {done === 1 ? 'file' : 'files'} stored
    </>
  );
}

function Sending({ upload: { id, location, sent } }: { upload: Upload }): ReactNode {
  const name = nameOf(location);
  return (
    <li className="upload">
      <div className="upload-name">
        <bdi className="truncate" title={location}>
          {name}
        </bdi>
        <progress className="bar" max={1} value={sent} aria-label={`Progress of ${name}`} />
      </div>
      <IconButton label={`Cancel the upload of ${name}`} icon={X} onClick={() => cancelUpload(id)} />
    </li>
  );
}

/** A file that needs the person: its place is taken, or it was refused. */
function Waiting({ upload: { id, workspace, location, state, fault } }: { upload: Upload }): ReactNode {
  const name = nameOf(location);
  return (
    <li className="upload">
      <div className="upload-name">
        <bdi className="truncate" title={location}>
          {name}
        </bdi>
        {state === 'taken' ? (
          <span className="small">
            A document is at{' '}
            <Link href={addressOf.document(workspace, location)}>
              <bdi>{location}</bdi>
            </Link>{' '}
            already.
          </span>
        ) : (
          <span className="field-error">{fault}</span>
        )}
        <div className="cluster">
          {state === 'taken' ? (
            <Button size="small" onClick={() => replaceTaken(id)} aria-label={`Add as new version: ${name}`}>
              Add as new version
            </Button>
          ) : (
            <Button size="small" onClick={() => retryUpload(id)} aria-label={`Try again: ${name}`}>
              Try again
            </Button>
          )}
          <Button size="small" look="quiet" onClick={() => cancelUpload(id)} aria-label={`Leave out: ${name}`}>
            Leave out
          </Button>
        </div>
      </div>
    </li>
  );
}

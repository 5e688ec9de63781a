import { Tag, Tags } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Time } from '../../design/time.tsx';
import { formatSize } from '../../design/format-size.ts';
import { LabelDialog } from './label-dialog.tsx';
import type { Reading } from './use-reading.ts';

interface SummaryProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly mayEdit: boolean;
}

/** Who wrote this version and when, and the document's labels. */
export function Summary({ workspace, reading, mayEdit }: SummaryProps): ReactNode {
  const [isEditing, setEditing] = useState(false);
  const { document } = reading;
  const { version, labels, size } = document;
  const source = version.original_author;
  return (
    <div className="summary">
      <p className="summary-line">
        <Who name={version.author.display_name} kind={version.author.kind} />
        <span>
          wrote this version <Time at={version.created_at} />
        </span>
        {source !== undefined && (
          <span>
            from <bdi>{source.name ?? 'an unnamed author'}</bdi>
          </span>
        )}
        <span className="soft">{formatSize(size)}</span>
        {version.message !== null && (
          <q className="summary-message">
            <bdi>{version.message}</bdi>
          </q>
        )}
      </p>
      {(labels.length > 0 || mayEdit) && (
        <div className="cluster">
          {labels.length > 0 && (
            <ul className="cluster" aria-label="Labels">
              {labels.map((label) => (
                <li key={label}>
                  <Badge tone="label" icon={Tag}>
                    <bdi>{label}</bdi>
                  </Badge>
                </li>
              ))}
            </ul>
          )}
          {mayEdit && (
            <Button look="quiet" size="small" icon={Tags} onClick={() => setEditing(true)}>
              {labels.length === 0 ? 'Add labels' : 'Edit labels'}
            </Button>
          )}
        </div>
      )}
      {isEditing && <LabelDialog workspace={workspace} document={document} onClose={() => setEditing(false)} />}
    </div>
  );
}

import { X } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import type { Attempts } from '../../api/attempts.ts';
import { asProblem } from '../../api/problem.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { forEachAtOnce, retryWhenLimited } from '../../api/retry-when-limited.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { showToast } from '../../design/toast.tsx';
import { nameEntries } from './name-entries.ts';
import type { DocumentEntry } from './browser-queries.ts';

const atOnce = 4;

/** Adds labels to documents, and takes labels off them. Nothing is changed before "Save labels". */
export function LabelsDialog({
  workspace,
  entries,
  onLabels,
  onClose,
}: {
  workspace: string;
  entries: readonly DocumentEntry[];
  onLabels: (location: string, labels: readonly string[]) => void;
  onClose: () => void;
}): ReactNode {
  const before = useMemo(() => [...new Set(entries.flatMap(({ document }) => document.labels))].toSorted(), [entries]);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [added, setAdded] = useState<readonly string[]>([]);
  const [text, setText] = useState('');
  const attempts = useAttempts();
  const [isPending, setPending] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const typed = text.trim().normalize('NFC');
  const wanted = typed === '' || before.includes(typed) || added.includes(typed) ? added : [...added, typed];
  const isChanged = wanted.length > 0 || removed.size > 0;
  const shown = [...before.filter((label) => !removed.has(label)), ...added];

  const save = async (): Promise<void> => {
    setPending(true);
    setFault(undefined);
    try {
      await forEachAtOnce(entries, atOnce, async ({ document }) => {
        const labels = await change(workspace, document.location, wanted, [...removed], attempts);
        if (labels !== undefined) onLabels(document.location, labels);
      });
      showToast({ text: `The labels of ${nameEntries(entries)} are saved.` });
      onClose();
    } catch (error) {
      setFault(error);
      setPending(false);
    }
  };
  const take = (label: string): void => {
    if (added.includes(label)) setAdded(added.filter((each) => each !== label));
    else setRemoved(new Set([...removed, label]));
  };
  return (
    <Dialog
      title={`Labels of ${nameEntries(entries)}`}
      onClose={onClose}
      onSubmit={() => {
        if (typed !== '' && wanted !== added) {
          setAdded(wanted);
          setText('');
        } else if (isChanged && !isPending) void save();
      }}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" isPending={isPending} disabled={!isChanged} onClick={() => void save()}>
            Save labels
          </Button>
        </>
      }
    >
      <TextField
        label="Add a label"
        value={text}
        autoFocus
        onChange={({ target }) => setText(target.value)}
        hint="Enter adds it to the list. Labels never change who has access."
      />
      {shown.length === 0 ? (
        <p className="soft">{entries.length === 1 ? 'It has no labels yet.' : 'None of them has a label yet.'}</p>
      ) : (
        <ul className="cluster label-list" aria-label="Labels">
          {shown.map((label) => (
            <li key={label} className="label-item">
              <bdi className="truncate">{label}</bdi>
              <IconButton label={`Remove label ${label}`} icon={X} onClick={() => take(label)} />
            </li>
          ))}
        </ul>
      )}
      {fault !== undefined && (
        <Notice tone="danger" isUrgent>
          {asProblem(fault).sentence}
        </Notice>
      )}
    </Dialog>
  );
}

/** @returns the labels that it has then; undefined where nothing was to do */
async function change(
  workspace: string,
  location: string,
  added: readonly string[],
  removed: readonly string[],
  attempts: Attempts,
): Promise<readonly string[] | undefined> {
  const api = apiOf(workspace);
  let labels: readonly string[] | undefined;
  if (added.length > 0) {
    const body = { location, labels: [...added] };
    const params = { header: { 'Idempotency-Key': attempts.keyFor(body, location) } };
    ({ labels } = await retryWhenLimited(() => dataOf(api.POST('/labels', { params, body }))));
    attempts.done(location);
  }
  for (const label of removed) {
    const params = { query: { location, label } };
    ({ labels } = await retryWhenLimited(() => dataOf(api.DELETE('/labels', { params }))));
  }
  return labels;
}

import { useMutation } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { announce } from '../../design/announce.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { useReadAgain, type Reading } from './use-reading.ts';

interface LabelDialogProps {
  readonly workspace: string;
  readonly document: Reading['document'];
  readonly onClose: () => void;
}

interface Change {
  readonly how: 'add' | 'remove';
  readonly label: string;
}

/** Adds and removes labels one by one, so two people who do it lose nothing of each other's. */
export function LabelDialog({ workspace, document: { location, name, labels }, onClose }: LabelDialogProps): ReactNode {
  const [text, setText] = useState('');
  const attempts = useAttempts();
  const input = useRef<HTMLInputElement>(null);
  const readAgain = useReadAgain(workspace, location);
  const change = useMutation({
    mutationFn: ({ how, label }: Change) => {
      const api = apiOf(workspace);
      if (how === 'remove') return dataOf(api.DELETE('/labels', { params: { query: { location, label } } }));
      const body = { location, labels: [label] };
      const header = { 'Idempotency-Key': attempts.keyFor(body) };
      return dataOf(api.POST('/labels', { params: { header }, body }));
    },
    onSuccess: async (_data, { how, label }) => {
      if (how === 'add') {
        attempts.done();
        setText('');
      }
      await readAgain();
      announce(how === 'add' ? `Label ${label} added.` : `Label ${label} removed.`);
      input.current?.focus();
    },
  });
  const add = (): void => {
    if (text.trim() !== '') change.mutate({ how: 'add', label: text.trim() });
  };
  return (
    <Dialog
      title="Labels"
      onClose={onClose}
      onSubmit={add}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="stack">
        <p className="soft">
          Labels help to find <bdi>{name}</bdi>. They change no one's access.
        </p>
        {labels.length > 0 && (
          <ul className="cluster" aria-label="Labels">
            {labels.map((label) => (
              <li key={label} className="label-row">
                <Badge tone="label">
                  <bdi>{label}</bdi>
                </Badge>
                <IconButton
                  label={`Remove label ${label}`}
                  icon={X}
                  onClick={() => change.mutate({ how: 'remove', label })}
                />
              </li>
            ))}
          </ul>
        )}
        <div className="label-form">
          <TextField
            label="New label"
            ref={input}
            value={text}
            autoFocus
            maxLength={64}
            onChange={(event) => setText(event.target.value)}
            {...(change.error !== null && { error: asProblem(change.error).sentence })}
          />
          <Button type="submit" icon={Plus} isPending={change.isPending}>
            Add label
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

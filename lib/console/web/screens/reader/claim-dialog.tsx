import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { SelectField, TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { showToast } from '../../design/toast.tsx';
import { readOutline } from '../../../../text/outline.ts';
import { useReadAgain, type Reading } from './use-reading.ts';

const times: readonly (readonly [number, string])[] = [
  [30 * 60, '30 minutes'],
  [2 * 60 * 60, '2 hours'],
  [8 * 60 * 60, '8 hours'],
  [24 * 60 * 60, '1 day'],
];

interface ClaimDialogProps {
  readonly workspace: string;
  readonly reading: Reading;
  readonly onClose: () => void;
}

/** Claims a document, or one of its sections, for a while. */
export function ClaimDialog({ workspace, reading, onClose }: ClaimDialogProps): ReactNode {
  const { location } = reading.document;
  const [section, setSection] = useState('');
  const [seconds, setSeconds] = useState(times[0]?.[0] ?? 0);
  const [purpose, setPurpose] = useState('');
  const attempts = useAttempts();
  const [headings] = useState(() => readOutline(reading.content ?? '').slice(0, 200));
  const readAgain = useReadAgain(workspace, location);
  const take = useMutation({
    mutationFn: () => {
      const body = {
        location,
        ttl_seconds: seconds,
        ...(section !== '' && { section }),
        ...(purpose.trim() !== '' && { purpose: purpose.trim() }),
      };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/claims', { params, body }));
    },
    onSuccess: async () => {
      await readAgain();
      showToast({ text: 'You hold the claim now.' });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Claim for editing"
      action="Take claim"
      sending={take}
      onSubmit={() => take.mutate()}
      onClose={onClose}
    >
      <p className="soft">While you hold a claim, no one else can save changes there. Everybody can read.</p>
      {headings.length > 0 && (
        <SelectField label="Part" value={section} onChange={(event) => setSection(event.target.value)}>
          <option value="">Whole document</option>
          {headings.map(({ id, title, level }) => (
            <option key={id} value={id}>
              {`${'\u{2003}'.repeat(level - 1)}${title}`}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label="For how long"
        value={String(seconds)}
        onChange={(event) => setSeconds(Number(event.target.value))}
      >
        {times.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Purpose (optional)"
        hint="Others see it beside your name."
        value={purpose}
        maxLength={300}
        onChange={(event) => setPurpose(event.target.value)}
      />
    </FormDialog>
  );
}

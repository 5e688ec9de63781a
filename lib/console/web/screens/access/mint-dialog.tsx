import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Choice, SelectField, TextField } from '../../design/field.tsx';
import { FormDialog, useForm } from '../../design/form-dialog.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { toMinted, useRefresh, type MintedToken } from './access-queries.ts';

const day = 24 * 60 * 60 * 1000;
const inDays = { '7': 7, '30': 30, '90': 90 } as const;
type Lifetime = keyof typeof inDays | 'custom' | 'never';

/** One wish, as it was sent first. */
interface Sent {
  readonly key: string;
  readonly body: Omit<components['schemas']['TokenCreate'], 'principal'>;
}

/** The end of a day, in the browser's time zone; undefined where no day is chosen, or it is over. */
function endOfDay(date: string): Date | undefined {
  const end = new Date(`${date}T23:59:59`);
  return date === '' || Number.isNaN(end.getTime()) || end.getTime() <= Date.now() ? undefined : end;
}

/**
 * Asks what a new token may do and for how long, and mints it.
 * @param principal whose it is to be; undefined for the person's own
 */
export function MintDialog({
  principal,
  displayName,
  onClose,
  onMinted,
}: {
  principal: string | undefined;
  displayName: string;
  onClose: () => void;
  onMinted: (minted: MintedToken) => void;
}): ReactNode {
  const { name: workspace, principal_id: me } = useWorkspace();
  const isOwn = principal === undefined;
  const refresh = useRefresh();
  const [name, setName] = useState('');
  // A person works with git and scripts, an agent by MCP.
  const [isForMcp, setForMcp] = useState(principal !== undefined);
  const [isForRest, setForRest] = useState(false);
  const [isForGit, setForGit] = useState(false);
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [date, setDate] = useState('');
  const [rate, setRate] = useState('');
  const attempts = useAttempts();
  const [sent, setSent] = useState<Sent>();
  const mint = useMutation({
    mutationFn: async ({ key, body }: Sent): Promise<MintedToken> => {
      const params = { header: { 'Idempotency-Key': key } };
      if (principal !== undefined) {
        return dataOf(apiOf(workspace).POST('/tokens', { params, body: { ...body, principal } }));
      }
      const { requests_per_minute: _, ...own } = body;
      return toMinted(await dataOf(apiOf(workspace).POST('/keys', { params, body: own })), me);
    },
    onSuccess: onMinted,
    onSettled: () => void refresh(),
  });
  const requests = rate.trim() === '' ? null : Number(rate);
  const faults = {
    name: name.trim() === '' ? 'Enter a name, so that you know later what it is for.' : undefined,
    interfaces: isForMcp || isForRest || isForGit ? undefined : 'Choose at least one.',
    date: lifetime === 'custom' && endOfDay(date) === undefined ? 'Choose a day from today on.' : undefined,
    rate:
      requests === null || (Number.isInteger(requests) && requests >= 1 && requests <= 1_000_000)
        ? undefined
        : 'Enter a whole number from 1 on, or nothing.',
  };
  const expiresAt = (): string | null => {
    if (lifetime === 'never') return null;
    const end = lifetime === 'custom' ? endOfDay(date) : new Date(Date.now() + inDays[lifetime] * day);
    return end?.toISOString() ?? null;
  };
  const submit = (): void => {
    const asked = {
      name: name.trim(),
      interfaces: [
        ...(isForMcp ? ['mcp' as const] : []),
        ...(isForRest ? ['rest' as const] : []),
        ...(isForGit ? ['git' as const] : []),
      ],
      requests_per_minute: requests,
    };
    // The moment of expiry moves with the clock. So a retry sends the first attempt as it was, under its key.
    const key = attempts.keyFor([principal, asked, lifetime, date]);
    const next = sent?.key === key ? sent : { key, body: { ...asked, expires_at: expiresAt() } };
    setSent(next);
    mint.mutate(next);
  };
  const form = useForm(mint, faults, ({ field, sentence }) => (field === 'name' ? { name: sentence } : {}));
  const isUnanswered = mint.error !== null && asProblem(mint.error).code === 'UNREACHABLE';
  return (
    <FormDialog
      title={isOwn ? 'Make a key' : `Mint token for ${displayName}`}
      action={isUnanswered ? 'Try again' : isOwn ? 'Make key' : 'Mint token'}
      sending={form}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="What it is for: “Nightly export”."
        error={form.errors.name}
        value={name}
        maxLength={200}
        ref={takeFocus}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="choices">
        <legend className="field-label">Opens</legend>
        <Choice
          label="MCP"
          hint="Agents connect with it at /mcp."
          checked={isForMcp}
          onChange={(event) => setForMcp(event.target.checked)}
        />
        <Choice
          label="REST API"
          hint="Scripts call /v1 with it. A program with the key can do everything that its owner may do."
          checked={isForRest}
          onChange={(event) => setForRest(event.target.checked)}
        />
        <Choice
          label="Git"
          hint="Git clients clone, pull and push with it. A clone holds all that the key's owner may read, and stays with the person who made it."
          checked={isForGit}
          onChange={(event) => setForGit(event.target.checked)}
        />
        {form.errors.interfaces !== undefined && (
          <span className="field-error" role="alert">
            {form.errors.interfaces}
          </span>
        )}
      </fieldset>
      <SelectField
        label="Expires"
        value={lifetime}
        hint={lifetime === 'never' ? 'It works until somebody ends it. An end is safer.' : undefined}
        onChange={(event) => setLifetime(event.target.value as Lifetime)}
      >
        <option value="7">In 7 days</option>
        <option value="30">In 30 days</option>
        <option value="90">In 90 days</option>
        <option value="custom">On a day of your choice</option>
        <option value="never">Never</option>
      </SelectField>
      {lifetime === 'custom' && (
        <TextField
          label="Last day"
          type="date"
          error={form.errors.date}
          value={date}
          onChange={(event) => setDate(event.target.value)}
        />
      )}
      {!isOwn && (
        <details className="more-options">
          <summary>Limit its rate</summary>
          <TextField
            label="Requests a minute (optional)"
            hint="Left empty, the workspace's limit applies."
            inputMode="numeric"
            error={form.errors.rate}
            value={rate}
            onChange={(event) => setRate(event.target.value)}
          />
        </details>
      )}
    </FormDialog>
  );
}

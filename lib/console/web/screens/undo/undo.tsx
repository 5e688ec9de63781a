import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { SelectField, TextField } from '../../design/field.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { Preview } from './undo-preview.tsx';
import { usePrincipalName, useWriters, type Wanted, type Writer } from './undo-queries.ts';

const hour = 60 * 60_000;

/** Undoes what one person or agent did in a folder since a time: first looked at, then done, and undone again. */
export function Undo({ workspace }: ScreenProps): ReactNode {
  const [search, setSearch] = useSearchParams();
  const [start] = useState(() => timeAgo(hour));
  const wanted: Wanted = {
    folder: search.get('folder') ?? '',
    principal: search.get('principal') ?? '',
    since: search.get('since') ?? start,
  };
  const change = (part: Partial<Wanted>): void => {
    setSearch(() => new URLSearchParams(Object.entries({ ...wanted, ...part }).filter(([, value]) => value !== '')), {
      replace: true,
    });
  };
  return (
    <Page title="Undo changes">
      <p className="soft undo-intro">
        Takes back what one person, agent or connector wrote. You see first what would happen. Nothing is lost: what is
        taken back stays in the history, and the undo can be undone.
      </p>
      <Panel title="Whose changes">
        <Choices workspace={workspace} wanted={wanted} start={start} onChange={change} />
      </Panel>
      {wanted.principal === '' ? (
        <State title="Choose who it was">
          <p>Then this page shows what would be undone.</p>
        </State>
      ) : (
        <Preview
          key={`${wanted.folder} ${wanted.principal} ${wanted.since}`}
          workspace={workspace}
          wanted={wanted}
          onUndoAgain={(principal, since) => change({ principal, since })}
        />
      )}
    </Page>
  );
}

interface ChoicesProps {
  readonly workspace: string;
  readonly wanted: Wanted;
  /** An hour before the page was opened. */
  readonly start: string;
  readonly onChange: (part: Partial<Wanted>) => void;
}

function Choices({ workspace, wanted, start, onChange }: ChoicesProps): ReactNode {
  const { folder, principal, since } = wanted;
  const [chosen, setChosen] = useState({ span: String(hour), since: start });
  const span = chosen.since === since ? chosen.span : 'exact';
  const [place, setPlace] = useState(folder);
  const choose = (value: string): void => {
    const next = value === 'exact' ? since : timeAgo(Number(value));
    setChosen({ span: value, since: next });
    onChange({ since: next });
  };
  const settle = (): void => {
    const trimmed = place.trim().replaceAll(/^\/|\/$/g, '');
    if (trimmed !== folder) onChange({ folder: trimmed });
  };
  return (
    <div className="undo-choices">
      <SelectField label="Who" value={principal} onChange={({ target }) => onChange({ principal: target.value })}>
        <Writers workspace={workspace} wanted={wanted} />
      </SelectField>
      <SelectField label="Since when" value={span} onChange={({ target }) => choose(target.value)}>
        {spans.map(({ name, length }) => (
          <option key={length} value={length}>
            {name}
          </option>
        ))}
        <option value="exact">A certain time</option>
      </SelectField>
      {span === 'exact' && (
        <TextField
          label="From"
          type="datetime-local"
          value={toLocalField(since)}
          max={toLocalField(timeAgo(0))}
          onChange={({ target }) => {
            const at = new Date(target.value);
            if (!Number.isNaN(at.getTime()) && at.getTime() <= Date.now()) onChange({ since: at.toISOString() });
          }}
        />
      )}
      <TextField
        label="In which folder"
        value={place}
        placeholder="All documents"
        onChange={({ target }) => setPlace(target.value)}
        onBlur={settle}
        onKeyDown={({ key }) => key === 'Enter' && settle()}
      />
    </div>
  );
}

/** Those who wrote there lately, and the one whom the address names. */
function Writers({ workspace, wanted }: { workspace: string; wanted: Wanted }): ReactNode {
  const { is_admin: isAdmin, principal_id: me } = useWorkspace();
  const { principal } = wanted;
  const writers = useWriters(workspace, wanted);
  const isKnown = writers.some(({ id }) => id === principal);
  const named = usePrincipalName(workspace, principal, isAdmin && !isKnown);
  const others: readonly Pick<Writer, 'id' | 'display_name' | 'kind'>[] =
    isKnown || principal === ''
      ? []
      : [named.data ?? { id: principal, display_name: principal === me ? 'You' : principal, kind: 'person' }];
  return (
    <>
      <option value="">Choose…</option>
      {[...others, ...writers].map(({ id, display_name: name, kind }) => (
        <option key={id} value={id}>
          {`${name} (${id === me ? 'you' : kind})`}
        </option>
      ))}
    </>
  );
}

/** How far back, in words. Milliseconds. */
const spans: readonly { readonly name: string; readonly length: number }[] = [
  { name: 'The last 15 minutes', length: 15 * 60_000 },
  { name: 'The last hour', length: 60 * 60_000 },
  { name: 'The last 4 hours', length: 4 * 60 * 60_000 },
  { name: 'The last day', length: 24 * 60 * 60_000 },
  { name: 'The last 7 days', length: 7 * 24 * 60 * 60_000 },
];

/** The moment so long ago, as the API takes it. */
const timeAgo = (length: number): string => new Date(Date.now() - length).toISOString();

/** As the browser's field for date and time writes a moment, in its zone. */
function toLocalField(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

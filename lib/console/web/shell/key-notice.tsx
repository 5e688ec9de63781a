import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiOf, dataOf } from '../api/client.ts';
import type { components } from '../api/described.d.ts';
import { useRead } from '../api/read.ts';
import type { OwnWorkspace } from '../api/session.ts';
import { Button, LinkButton } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { ProblemLine } from '../design/state.tsx';
import { Time } from '../design/time.tsx';
import { addressOf } from '../navigation/addresses.ts';

type Key = components['schemas']['Key'];

/** Tells a person of keys that somebody else made for them, on every page, until they say to know of these. */
export function KeyNotice({ workspace: { name, keys_by_others: count } }: { workspace: OwnWorkspace }): ReactNode {
  const queries = useQueryClient();
  const remembered = [name, 'access', 'key-notices', count];
  const { data } = useRead(name, remembered, '/key-notices', {}, { select: ({ items }) => items });
  const acknowledge = useMutation({
    mutationFn: (keys: string[]) => dataOf(apiOf(name).POST('/key-acknowledgements', { body: { keys } })),
    // What is shown goes away only when the service has it.
    onSettled: () => void queries.invalidateQueries({ queryKey: ['session'] }),
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <div className="page key-notice">
      <Notice
        tone="warning"
        title={data.length === 1 ? 'Somebody made a key that acts as you' : 'Somebody made keys that act as you'}
        action={
          <>
            <LinkButton href={addressOf.keys(name)}>Your keys</LinkButton>
            <Button isPending={acknowledge.isPending} onClick={() => acknowledge.mutate(data.map(({ id }) => id))}>
              {data.length === 1 ? 'I know of it' : 'I know of them'}
            </Button>
          </>
        }
      >
        <p>
          Who made a key has seen its secret, and can do with it what you may do. End those that you did not ask for.
        </p>
        <ul className="key-notice-list" aria-label="Keys that somebody else made">
          {data.map((key) => (
            <Told key={key.id} told={key} />
          ))}
        </ul>
        <ProblemLine error={acknowledge.error} />
      </Notice>
    </div>
  );
}

function Told({
  told: { name, created_at: at, created_by: maker, state, last_used_at: used },
}: {
  told: Key;
}): ReactNode {
  return (
    <li>
      <bdi className="token-name">{name}</bdi>, made by <bdi>{maker.display_name}</bdi> <Time at={at} />,{' '}
      {used === null ? 'never used' : <>last used {<Time at={used} />}</>}
      {state !== 'active' && `, ${state} by now`}
    </li>
  );
}

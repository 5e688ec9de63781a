import type { ReactNode } from 'react';
import { Panel } from '../../design/page.tsx';
import { nameInterval } from './words.ts';

/** What a connection does, before it is made. */
export function WhatWillHappen({ location, interval }: { location: string; interval: number }): ReactNode {
  return (
    <Panel title="What will happen">
      <ul className="plain-list">
        <li>
          {location === '' ? (
            'The folder is made. '
          ) : (
            <>
              The folder <bdi>{location}</bdi> is made, if it is not there yet.{' '}
            </>
          )}
          From then on only the connector writes in it.
        </li>
        <li>
          Everything that the credential can read at the source comes into the folder. Everyone who can read the folder
          can read all of it: the permissions of the source are not mirrored.
        </li>
        <li>
          The first sync begins at once. After that: {nameInterval(interval).toLowerCase()}. Each sync that finds
          changes is one step in the history.
        </li>
        <li>A sync that would delete many documents at once waits until somebody approves it.</li>
      </ul>
    </Panel>
  );
}

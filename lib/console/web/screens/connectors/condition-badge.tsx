import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import type { Connector } from './connector-queries.ts';
import { conditionOf, wordsOfCondition } from './connector-words.ts';

/** What a connector is up to, in a word or two. */
export function ConditionBadge({ connector }: { connector: Connector }): ReactNode {
  const { name, tone } = wordsOfCondition[conditionOf(connector)];
  return <Badge tone={tone}>{name}</Badge>;
}

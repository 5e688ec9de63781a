import type { ReactNode } from 'react';
import { Notice } from '../../design/notice.tsx';
import type { TestResult } from './connector-queries.ts';
import { wordsOfFault } from './connector-words.ts';

/** What a test of a connection found out. */
export function TestNotice({ result, action }: { result: TestResult; action?: ReactNode }): ReactNode {
  const { works, fault, message } = result;
  if (works) {
    return (
      <Notice tone="success" title="The connection works">
        <p>{message}</p>
      </Notice>
    );
  }
  const words = wordsOfFault[fault ?? 'internal'];
  return (
    <Notice tone="danger" title={words.title} action={action} isUrgent>
      <p>{message}</p>
      <p className="soft small">{words.remedy}</p>
    </Notice>
  );
}

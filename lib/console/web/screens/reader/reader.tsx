import type { ReactNode } from 'react';
import { Page } from '../../design/page.tsx';
import type { ScreenProps } from '../../shell/screens.ts';

export function Reader({ rest }: ScreenProps): ReactNode {
  return <Page title="Reader">{rest}</Page>;
}

import type { ReactNode } from 'react';
import { Page } from '../../design/page.tsx';
import type { ScreenProps } from '../../shell/screens.ts';

export function Browser({ rest }: ScreenProps): ReactNode {
  return <Page title="Browser">{rest}</Page>;
}

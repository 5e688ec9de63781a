import { CircleAlert, CircleCheck, Info, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export type NoticeTone = 'info' | 'warning' | 'danger' | 'success';

const icons: Readonly<Record<NoticeTone, LucideIcon>> = {
  info: Info,
  warning: TriangleAlert,
  danger: CircleAlert,
  success: CircleCheck,
};

interface NoticeProps {
  readonly tone?: NoticeTone;
  readonly title?: string;
  readonly children?: ReactNode;
  /** Buttons or links: the way out. */
  readonly action?: ReactNode;
  /** Read out at once. For what has just gone wrong. */
  readonly isUrgent?: boolean;
}

/** A message that stays on the page. */
export function Notice({ tone = 'info', title, children, action, isUrgent = false }: NoticeProps): ReactNode {
  const Icon = icons[tone];
  return (
    <div className={`notice ${tone}`} role={isUrgent ? 'alert' : undefined}>
      <Icon aria-hidden />
      <div className="notice-text">
        {title !== undefined && <p className="notice-title">{title}</p>}
        {children}
      </div>
      {action !== undefined && <div className="cluster">{action}</div>}
    </div>
  );
}

import { Bot, Cog, Plug, User, Users, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export type BadgeTone =
  'neutral' | 'label' | 'info' | 'success' | 'warning' | 'danger' | 'person' | 'agent' | 'connector';

/** A word or two about a thing: its state, kind or label. */
export function Badge({
  tone = 'neutral',
  icon: Icon,
  title,
  children,
}: {
  tone?: BadgeTone;
  icon?: LucideIcon;
  title?: string;
  children: ReactNode;
}): ReactNode {
  return (
    <span className={`badge ${tone}`} title={title}>
      {Icon !== undefined && <Icon aria-hidden />}
      <span>{children}</span>
    </span>
  );
}

/** The kinds of principals, and a group beside them. */
export type WhoKind = 'person' | 'agent' | 'connector' | 'operator' | 'group';

const kinds: Readonly<Record<WhoKind, { icon: LucideIcon; tone: BadgeTone }>> = {
  person: { icon: User, tone: 'person' },
  agent: { icon: Bot, tone: 'agent' },
  connector: { icon: Plug, tone: 'connector' },
  operator: { icon: Cog, tone: 'neutral' },
  group: { icon: Users, tone: 'neutral' },
};

/** Whether a person, an agent or a connector did it. */
export function KindBadge({ kind }: { kind: WhoKind }): ReactNode {
  const { icon, tone } = kinds[kind];
  return (
    <Badge tone={tone} icon={icon}>
      {kind}
    </Badge>
  );
}

/** A principal's name with the badge of its kind. */
export function Who({ name, kind }: { name: string; kind: WhoKind }): ReactNode {
  return (
    <span className="who">
      <bdi className="who-name" title={name}>
        {name}
      </bdi>
      <KindBadge kind={kind} />
    </span>
  );
}

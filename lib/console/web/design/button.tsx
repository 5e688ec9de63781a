import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger' | 'danger-plain';

interface Shape {
  /** `primary` is for the one main action of a view. Left out: `plain`. */
  readonly look?: ButtonLook;
  readonly size?: 'small';
  readonly icon?: LucideIcon;
}

interface ButtonProps extends ComponentProps<'button'>, Shape {
  /** Shows that its work is under way, keeps the focus, and takes no further press. */
  readonly isPending?: boolean;
}

function classOf({ look = 'plain', size }: Shape, more = ''): string {
  return ['button', look, size ?? '', more].filter(Boolean).join(' ');
}

/** A button. While pending it stays focused, because a disabled button loses the focus. */
export function Button({
  look,
  size,
  icon: Icon,
  isPending = false,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ ...(look && { look }), ...(size && { size }) }, className)}
      aria-disabled={isPending || undefined}
      aria-busy={isPending || undefined}
      onClick={(event) => {
        if (isPending) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {isPending ? <LoaderCircle className="turning" aria-hidden /> : Icon !== undefined && <Icon aria-hidden />}
      {children}
    </button>
  );
}

/** A link within the console with the look of a button. */
export function LinkButton({
  look,
  size,
  icon: Icon,
  href,
  children,
}: Shape & { readonly href: string; readonly children: ReactNode }): ReactNode {
  return (
    <Link href={href} className={classOf({ ...(look && { look }), ...(size && { size }) })}>
      {Icon !== undefined && <Icon aria-hidden />}
      {children}
    </Link>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** What it does: verb and object. It is its name and its tooltip. */
  readonly label: string;
  readonly icon: LucideIcon;
}

/** A button with an icon alone. */
export function IconButton({ label, icon: Icon, className = '', ...rest }: IconButtonProps): ReactNode {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={`icon-button ${className}`.trim()}>
      <Icon aria-hidden />
    </button>
  );
}

import { Suspense, lazy, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { addressOf, type Place } from '../navigation/addresses.ts';

const ShareDialog = lazy(async () => ({ default: (await import('../screens/share/share-dialog.tsx')).ShareDialog }));
const MoveDialog = lazy(async () => ({ default: (await import('../screens/move/move-dialog.tsx')).MoveDialog }));
const RenameDialog = lazy(async () => ({ default: (await import('../screens/move/rename-dialog.tsx')).RenameDialog }));

const typeOf: Readonly<Record<string, 'folder' | 'document'>> = { f: 'folder', d: 'document' };

/**
 * The dialogs about the place of a page that an address can open: `?share`, `?move` and `?rename` behind that of a
 * folder or document.
 */
export function Overlays({ workspace, screen, rest: location }: Place): ReactNode {
  const [parameters, setParameters] = useSearchParams();
  const [, navigate] = useLocation();
  const type = Object.hasOwn(typeOf, screen) ? typeOf[screen] : undefined;
  if (type === undefined) return null;
  const close = (): void =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        for (const name of ['share', 'move', 'rename']) after.delete(name);
        return after;
      },
      { replace: true },
    );
  const follow = (relocated: readonly { readonly to: string }[]): void => {
    const [first] = relocated;
    if (first !== undefined) navigate(addressOf[type](workspace, first.to));
  };
  const item = { location, type };
  return (
    <Suspense fallback={null}>
      {parameters.has('share') ? (
        <ShareDialog key={location} workspace={workspace} location={location} onClose={close} />
      ) : parameters.has('move') && location !== '' ? (
        <MoveDialog
          key={location}
          workspace={workspace}
          items={[item]}
          toFolder={parameters.get('move') === '' ? undefined : (parameters.get('move') ?? undefined)}
          onClose={close}
          onMoved={follow}
        />
      ) : parameters.has('rename') && location !== '' ? (
        <RenameDialog key={location} workspace={workspace} item={item} onClose={close} onRenamed={follow} />
      ) : null}
    </Suspense>
  );
}

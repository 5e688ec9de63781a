import { lazy, Suspense, type ReactNode } from 'react';
import { useUploads } from './uploads.ts';

const UploadPanel = lazy(async () => ({ default: (await import('./upload-panel.tsx')).UploadPanel }));

/** Where uploads show, on every page. Nothing of it is fetched before the first upload. */
export function UploadsHost(): ReactNode {
  const { total } = useUploads();
  if (total === 0) return null;
  return (
    <Suspense fallback={null}>
      <UploadPanel />
    </Suspense>
  );
}

import { useEffect, useRef, useState } from 'react';
import { filesOfDrop, holdsFiles, type PickedFile } from '../upload/collect-files.ts';

/**
 * Takes files that are dropped anywhere on the page.
 * @param onFiles left out where nothing can be stored: a drop does nothing then, and does not leave the page
 * @returns whether files are held over the page
 */
export function useFileDrop(onFiles: ((files: readonly PickedFile[]) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = onFiles;
  });
  useEffect(() => {
    // Entering an element inside comes before leaving the one around it.
    let depth = 0;
    const set = (to: number): void => {
      depth = Math.max(0, to);
      setOver(depth > 0 && take.current !== undefined);
    };
    const onEnter = (event: DragEvent): void => {
      if (holdsFiles(event)) set(depth + 1);
    };
    const onLeave = (event: DragEvent): void => {
      if (holdsFiles(event)) set(depth - 1);
    };
    const onOver = (event: DragEvent): void => {
      if (!holdsFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = take.current === undefined ? 'none' : 'copy';
    };
    const onDrop = (event: DragEvent): void => {
      if (!holdsFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      set(0);
      const found = filesOfDrop(event.dataTransfer);
      void found.then((files) => take.current?.(files));
    };
    const listeners = { dragenter: onEnter, dragleave: onLeave, dragover: onOver, drop: onDrop };
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) {
        window.removeEventListener(name, listener as EventListener);
      }
    };
  }, []);
  return isOver;
}

/** A file to upload, with its path below the folder that receives it. */
export interface PickedFile {
  readonly file: File;
  readonly path: string;
}

/** The files of an input. With `webkitdirectory`, their paths begin with the chosen folder. */
export function filesOf(list: FileList): PickedFile[] {
  return [...list].map((file) => ({
    file,
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
  }));
}

/** Whether something that is dragged holds files. */
export function holdsFiles({ dataTransfer }: { readonly dataTransfer: DataTransfer | null }): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

/** All dropped files, those in dropped folders too. */
export async function filesOfDrop({ items, files }: DataTransfer): Promise<PickedFile[]> {
  // The items are gone after the event, so all entries are taken before the first wait.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return filesOf(files);
  const picked: PickedFile[] = [];
  for (const entry of entries) await collect(entry, '', picked);
  return picked;
}

async function collect(entry: FileSystemEntry, above: string, into: PickedFile[]): Promise<void> {
  const path = above === '' ? entry.name : `${above}/${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    into.push({ file, path });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives some entries at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const inner of some) await collect(inner, path, into);
  }
}

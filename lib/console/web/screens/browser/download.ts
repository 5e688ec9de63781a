import { apiAddress } from '../../api/client.ts';
import { encodeLocation, nameOf } from '../../navigation/addresses.ts';

/** Has the browser save what is at an address: a refusal becomes a failed download, and the page stays. */
function save(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

export function downloadDocument(workspace: string, location: string): void {
  save(apiAddress(workspace, `/files/${encodeLocation(location)}`), nameOf(location));
}

/** A folder with everything in the person's reach below it, as a zip. */
export function exportFolder(workspace: string, location: string): void {
  const name = location === '' ? workspace : nameOf(location);
  save(apiAddress(workspace, `/folders/export?location=${encodeURIComponent(location)}`), `${name}.zip`);
}

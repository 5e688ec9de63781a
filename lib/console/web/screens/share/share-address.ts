import { addressOf } from '../../shell/addresses.ts';

/** The address of a place with its share dialog open. */
export function shareAddress(workspace: string, location: string, type: 'folder' | 'document'): string {
  return `${addressOf[type](workspace, location)}?share`;
}

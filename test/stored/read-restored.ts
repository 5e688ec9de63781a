import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { rootLocation } from '../../lib/domain/location.js';
import { operator } from '../support/store/service.js';

/** The documents of a workspace in a restored data folder, by its service. */
export async function readRestored(
  dataFolder: string,
  name = 'acme',
): Promise<{ readonly workspaces: readonly string[]; readonly documents: readonly string[] }> {
  const service = await Service.open({
    dataFolder,
    git: 'auto',
    clock: systemClock,
    randomness: makeSystemRandomness(),
    onFault: () => undefined,
  });
  try {
    const workspace = service.find(name);
    if (workspace === undefined) throw new Error(`There is no workspace ${name}.`);
    const documents = Array.from(workspace.view(operator).walk(rootLocation), ({ location }) => String(location));
    return { workspaces: service.names(), documents: documents.toSorted() };
  } finally {
    await service.close();
  }
}

import type { FollowedFile } from '../sidecar/followed-file.js';
import type { ServiceFile } from '../sidecar/service-file.js';
import type { ShardSource } from './shard-stream.js';

/** The service's own file. Nothing lies beside it. */
export class ServiceSource implements ShardSource {
  readonly #file: Pick<ServiceFile, 'followed' | 'tend'>;

  constructor(file: Pick<ServiceFile, 'followed' | 'tend'>) {
    this.#file = file;
  }

  log(): FollowedFile {
    const { followed } = this.#file;
    if (followed === undefined) throw new Error('The service’s file was not opened to be followed.');
    return followed;
  }

  atMoment(cut: () => void): Promise<void> {
    this.#file.tend?.();
    cut();
    return Promise.resolve();
  }

  storeFiles(): Promise<void> {
    return Promise.resolve();
  }
}

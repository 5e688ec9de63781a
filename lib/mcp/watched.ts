import type { Change } from '../domain/change.js';
import { isWithin, type Location } from '../domain/location.js';
import type { View } from '../view/view.js';
import { uriOf, watchedIn } from './resource-address.js';

/** An address that a client wants to hear of, and the document or folder in it. */
interface WatchedPlace {
  readonly uri: string;
  readonly location: Location;
  /** Whether the caller found a document there when it was last looked at. */
  isThere: boolean;
}

/**
 * What a client wants to hear of. Its memory is the addresses that the client named itself, so it says nothing about a
 * place that the caller does not reach.
 */
export class Watched {
  readonly #places: readonly WatchedPlace[];

  /** @param uris each of a possible place; others are left out */
  constructor(uris: readonly string[], view: View) {
    this.#places = [...new Set(uris)].flatMap((uri) => {
      const location = watchedIn(uri);
      return location === undefined ? [] : [{ uri, location, isThere: isDocument(view, location) }];
    });
  }

  /** As the client named them. */
  get uris(): readonly string[] {
    return this.#places.map(({ uri }) => uri);
  }

  /**
   * The addresses to read again after some changes, each once: those of the documents named, and of the documents below
   * the folders named. A document that is not at an address any more counts for the address as named.
   */
  changed(changes: readonly Change[], view: View): ReadonlySet<string> {
    const changed = new Set<string>();
    const places = changes.flatMap(({ document, from }) => [from, document.location].filter((at) => at !== null));
    for (const place of this.#places) {
      const { uri, location } = place;
      for (const at of places) {
        if (at === location) changed.add(uri);
        else if (isWithin(location, at)) changed.add(uriOf(at));
      }
      const isThere = isDocument(view, location);
      if (isThere !== place.isThere) changed.add(uri);
      place.isThere = isThere;
    }
    return changed;
  }
}

function isDocument(view: View, location: Location): boolean {
  return location !== '' && view.document(location) !== undefined;
}

import { createHash } from 'node:crypto';
import { isAboutPlace, isAboutPlaces, liesAt, type FoundRecord, type PlaceQuestion } from '../../audit/seek-records.js';
import type { AuditEntry } from '../../domain/audit-entry.js';
import { isSelfMade } from '../../domain/credential.js';
import { encodeBase32 } from '../../domain/identifier.js';
import { faultOfLocation, isWithin, rootLocation, type Location } from '../../domain/location.js';
import type { Author } from '../../domain/principal.js';
import { roleContains } from '../../domain/role.js';
import type { View } from '../../view/view.js';
import { findPlace } from './place-question.js';

/** Entries of a detail that name places, or the version of a document. */
const placeEntries: ReadonlySet<string> = new Set(['from', 'to', 'folder', 'to_folder', 'location', 'within']);
/** Entries with texts that say nothing of other places. */
const plainEntries: ReadonlySet<string> = new Set(
  `box claim comment form interfaces kind labels member message messages outcome principal reason role scope_type
   section subject thread to_role type which`.split(/\s+/),
);
/** Entries with a version of the document. */
const versionEntries: ReadonlySet<string> = new Set(['expected', 'restored', 'from', 'version']);

/** What a document is to the caller now. */
interface SeenDocument {
  readonly place: Location;
  readonly number: number;
}

/** Shows records as one caller may see them now. An admin sees them whole. Good for one turn, as its view. */
export class RecordPresenter {
  readonly #view: View;
  readonly #principalId: string;
  readonly #isAdmin: boolean;
  readonly #principals = new Map<string, Author | null>();
  readonly #makers = new Map<string, Author | null>();
  readonly #folders = new Map<number, Location>();

  constructor(view: View, principalId: string) {
    this.#view = view;
    this.#principalId = principalId;
    this.#isAdmin = view.reach.holds('approver', rootLocation);
  }

  /**
   * @param place the place that was asked about; null for all records of the question
   * @returns undefined where the record is not one of the place any more
   */
  show(record: FoundRecord, place: PlaceQuestion | null): AuditEntry | undefined {
    const { auditQueries, audit } = this.#view.tables;
    const about = auditQueries.placeOf(record.seq);
    if (place !== null && !liesAt(this.#view.tables, place, record, about)) return undefined;
    const documentId = about?.documentId ?? null;
    const document = documentId === null ? null : this.#findReadable(documentId);
    if (place !== null && !this.#isAdmin && !this.#isStillThere(place, document)) return undefined;
    const text = audit.textOf(record.seq);
    const detail = parseDetail(text?.detail ?? null);
    const whole = {
      id: idOf(record),
      at: record.at,
      principal: this.#findPrincipal(record.principal),
      credential: record.credential,
      keyMadeBy: this.#findMaker(record.credential),
      interface: record.interface,
      action: record.action,
      outcome: record.code === null ? ('done' as const) : ('refused' as const),
      code: record.code,
      requestId: record.request_id,
    };
    if (this.#isAdmin) {
      const { seq, hash, version } = record;
      return { ...whole, seq, hash: hash.toString('hex'), version, documentId, target: text?.target ?? null, detail };
    }
    const hidden = { ...whole, seq: null, hash: null, version: null, documentId: null, target: null, detail: null };
    // Of a document out of reach, nothing is revealed: neither where it is nor whether it is still there.
    if (document === undefined) return hidden;
    const target = this.#showTarget(record, text?.target ?? null, document);
    // Its details and its version are about other places, too.
    if (place !== null && !isAboutPlace(place, record, about)) return { ...hidden, target };
    return {
      ...hidden,
      documentId,
      version: this.#isVersionOf(document, record.version) ? record.version : null,
      target,
      detail: detail === null ? null : this.#showDetail(detail, document, target !== null),
    };
  }

  /** Rights and places may have changed while the records were sought. */
  #isStillThere({ within }: PlaceQuestion, document: SeenDocument | null | undefined): boolean {
    if (document === undefined) return false;
    return within === null || document === null || isWithin(within, document.place);
  }

  #findReadable(id: string): SeenDocument | undefined {
    const { tables, reach } = this.#view;
    const place = findPlace(tables, id, this.#folders);
    const number = tables.auditQueries.numberOf(id);
    if (place === undefined || number === undefined) return undefined;
    return this.#isAdmin || roleContains(reach.roleOn(id, place), 'reader') ? { place, number } : undefined;
  }

  /** What others searched for is theirs. */
  #showTarget({ action, principal }: FoundRecord, target: string | null, document: SeenDocument | null): string | null {
    if (target === null || isId(target)) return target;
    if (!isAboutPlaces(action)) return principal === this.#principalId ? target : null;
    return target === document?.place || this.#reaches(target) ? target : null;
  }

  #reaches(place: string): boolean {
    return this.#view.reach.holds('reader', place as Location);
  }

  #isVersionOf(document: SeenDocument | null, version: unknown): boolean {
    if (document === null || typeof version !== 'string') return false;
    return this.#view.tables.versions.byId(document.number, version) !== undefined;
  }

  #showDetail(
    detail: Readonly<Record<string, unknown>>,
    document: SeenDocument | null,
    isTargetShown: boolean,
  ): Readonly<Record<string, unknown>> {
    const mayShow = ([name, value]: readonly [string, unknown]): boolean => {
      if (value === null || typeof value === 'number' || typeof value === 'boolean') return true;
      if (plainEntries.has(name)) return true;
      if (versionEntries.has(name) && this.#isVersionOf(document, value)) return true;
      if (typeof value !== 'string') return false;
      // A new name stands beside the place that it is given to.
      if (name === 'name') return isTargetShown;
      return placeEntries.has(name) && faultOfLocation(value) === undefined && this.#reaches(value);
    };
    return Object.fromEntries(Object.entries(detail).filter(mayShow));
  }

  /** Another maker of a person's key. An agent's key is always made by another principal. */
  #findMaker(credential: string | null): Author | null {
    if (credential === null) return null;
    let maker = this.#makers.get(credential);
    if (maker === undefined) {
      const key = this.#view.tables.credentials.find(credential);
      const isOfPerson = key !== undefined && this.#findPrincipal(key.principalId)?.kind === 'person';
      maker = isOfPerson && !isSelfMade(key) ? this.#findPrincipal(key.createdBy) : null;
      this.#makers.set(credential, maker);
    }
    return maker;
  }

  #findPrincipal(id: string | null): Author | null {
    if (id === null) return null;
    let author = this.#principals.get(id);
    if (author === undefined) {
      const found = this.#view.tables.principals.find(id);
      author = found === undefined ? null : { id, kind: found.kind, displayName: found.displayName };
      this.#principals.set(id, author);
    }
    return author;
  }
}

const parseDetail = (text: string | null): Readonly<Record<string, unknown>> | null =>
  text === null ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>);

/** Ids of things: `clm_` and twenty characters. */
const isId = (text: string): boolean => /^[a-z]{3}_[0-9a-z]{20}$/.test(text);

/** From the hash, which covers salts that no one else knows: it says nothing of order and number. */
function idOf({ hash }: FoundRecord): string {
  const digest = createHash('sha256').update('record').update(hash).digest();
  return `rec_${encodeBase32(digest).slice(0, 20)}`;
}

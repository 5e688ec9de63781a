/** A display name as it is compared: without regard to case and composition. */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase();

/** A name as it is ordered and searched: without accents too. */
export const foldLoosely = (name: string): string => foldName(name).normalize('NFD').replace(/\p{M}/gu, '');

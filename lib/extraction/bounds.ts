const mebibyte = 1024 * 1024;

/** Bytes of a file whose text is read, whatever a policy says. */
export const maxFileBytes = 64 * mebibyte;
/** Bytes that the entries of an archive may have together, unpacked. */
export const maxUnpackedBytes = 256 * mebibyte;
/** An entry larger than this may be so many times its packed size. */
export const freelyUnpackedBytes = 4 * mebibyte;
export const maxExpansion = 200;
/** Entries of an archive, and parts of a mail. */
export const maxEntries = 10_000;
/** Elements, groups or levels within each other. */
export const maxDepth = 5000;
export const maxPages = 5000;
/** Pieces of text on one page. */
export const maxPageItems = 100_000;
/** Bytes of text in UTF-8. */
export const maxTextBytes = 10 * mebibyte;
/** Headings that are told of one file. */
export const maxHeadings = 20_000;
/** UTF-16 units of a part's title. */
export const maxTitleLength = 200;

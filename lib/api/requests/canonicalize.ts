import canonicalizeModule from 'canonicalize';

/** The RFC 8785 form of a JSON value. The package's types describe an ES module, but it is not one. */
export const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

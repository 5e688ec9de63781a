/** The name of an object: 40 lower-case hexadecimal digits of its SHA-1. */
export type Oid = string;

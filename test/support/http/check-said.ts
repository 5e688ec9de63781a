import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { packagePath } from '../../../lib/config.js';
import { readDefinitions } from '../../../lib/mcp/definition.js';

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
(formats as unknown as (compiler: Ajv2020) => void)(ajv);
const definitions = readDefinitions();
const compiled = new Map<string, ValidateFunction>();

function schemaOf(name: string): ValidateFunction {
  let check = compiled.get(name);
  if (check === undefined) {
    const described = definitions.get(name)?.definition.outputSchema;
    check = ajv.compile(described ?? JSON.parse(readFileSync(packagePath('schema', 'mcp', `${name}.json`), 'utf8')));
    compiled.set(name, check);
  }
  return check;
}

/** Checks a tool's answer against its schema: every answer in every test. */
export function checkSaid(
  tool: string,
  result: { isError?: boolean; structuredContent?: unknown },
  text: string,
): void {
  const isError = result.isError === true;
  const value: unknown = JSON.parse(text);
  const check = schemaOf(isError ? 'error' : tool);
  assert.ok(check(value), `${tool}: ${text.slice(0, 300)} is not as described: ${JSON.stringify(check.errors)}`);
  assert.equal(text, JSON.stringify(value), 'The text is compact.');
  if (isError) assert.equal(result.structuredContent, undefined);
  else assert.equal(JSON.stringify(result.structuredContent), text);
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface PropertySchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: PropertySchema;
  /** Of an object. */
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

/** A JSON Schema of an object, as far as this face looks into it. */
export interface ObjectSchema extends PropertySchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
}

/** A tool as described to clients; one file of schema/mcp each. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
}

export interface DescribedTool {
  readonly definition: ToolDefinition;
  /** Compiled when it is first asked for. */
  readonly checkInput: ValidateFunction;
}

/** It lies beside the sources and, in the built package, one folder further up. */
function findFolder(): string {
  const places = ['../../schema/mcp', '../../../schema/mcp'];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const folder = folders.find((each) => existsSync(each));
  if (folder === undefined) throw new Error(`The descriptions of the tools are missing: ${folders.join(', ')}`);
  return folder;
}

const errorFile = 'error.json';

/**
 * Compiles our schemas in strict mode, so every keyword is enforced. A test checks that they are schemas: here that
 * would take more time of each start than all the rest.
 */
function makeCompiler(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: false, allowUnionTypes: true, validateSchema: false });
  // The module exports the function itself, contrary to its types.
  (formats as unknown as (compiler: Ajv2020) => void)(ajv);
  return ajv;
}

/** Amounts of what is answered or lent. Other numbers state a fact, such as `count`. */
export const amounts: ReadonlySet<string> = new Set(['limit', 'max_chars', 'ttl_seconds']);

/** In answers to amounts beyond a bound. */
const clampedMember = {
  type: 'object',
  description: 'amounts beyond a bound, and what was taken',
  additionalProperties: { type: 'integer' },
};

function withClamped(definition: ToolDefinition): ToolDefinition {
  const { inputSchema, outputSchema } = definition;
  if (!Object.keys(inputSchema.properties).some((name) => amounts.has(name))) return definition;
  const properties = { ...outputSchema.properties, clamped: clampedMember };
  return { ...definition, outputSchema: { ...outputSchema, properties } };
}

let remembered: ReadonlyMap<string, DescribedTool> | undefined;

/** Reads all tools of schema/mcp, by name, once in the life of the process. */
export function readDefinitions(): ReadonlyMap<string, DescribedTool> {
  remembered ??= readFolder();
  return remembered;
}

function readFolder(): ReadonlyMap<string, DescribedTool> {
  const folder = findFolder();
  const ajv = makeCompiler();
  const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== errorFile);
  const tools = files.toSorted().map((name): [string, DescribedTool] => {
    const definition = withClamped(JSON.parse(readFileSync(join(folder, name), 'utf8')) as ToolDefinition);
    // The compiler remembers each schema. One takes some milliseconds; all of them would take a tenth of a start.
    const described = {
      definition,
      get checkInput() {
        return ajv.compile(definition.inputSchema);
      },
    };
    return [definition.name, described];
  });
  return new Map(tools);
}

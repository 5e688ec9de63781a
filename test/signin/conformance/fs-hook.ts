import { register } from 'node:module';

/*
 * Lets a program that wants `globSync` of `fs` start on Node 20, which lacks it. Given to Node with `--import`. Only
 * the listing of the program's own requirement files needs it, and no test lists them.
 */
const hook = `
const source = "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];";
export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    ? { url: 'data:text/javascript,' + encodeURIComponent(source), shortCircuit: true }
    : next(specifier, context);
`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);

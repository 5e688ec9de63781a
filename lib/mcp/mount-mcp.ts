import type { MountedFace } from '../http/port.js';
import { serveCallers } from '../http/serve-exchange.js';
import type { McpDependencies, McpOptions } from './mcp-dependencies.js';
import { McpFace } from './mcp-face.js';

/** Where this face is, under the service's address. */
const paths = new Set(['/mcp', '/mcp/']);

/** MCP on the service's port, at /mcp. */
export function mountMcp(dependencies: McpDependencies, options: McpOptions): MountedFace {
  return {
    takes: (path) => paths.has(path),
    handle: serveCallers(dependencies, options, new McpFace(dependencies, options)),
  };
}

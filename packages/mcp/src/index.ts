// The public API of the package.
export { handleMcpRequest } from './http-handler.ts'
export type { McpOptions } from './mcp-server.ts'
export { createMcpServer } from './mcp-server.ts'
export { serveStdio } from './stdio.ts'

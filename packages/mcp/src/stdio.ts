// Serves assistants over standard input and output.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { McpOptions } from './mcp-server.ts'
import { createMcpServer } from './mcp-server.ts'

/** Resolves when the client closes its end. */
export async function serveStdio(
  options: McpOptions,
  stdin: NodeJS.ReadableStream = process.stdin,
  stdout: NodeJS.WritableStream = process.stdout,
): Promise<void> {
  const server = createMcpServer(options)
  const transport = new StdioServerTransport(stdin as never, stdout as never)
  const closed = new Promise<void>(resolve => {
    server.server.onclose = resolve
    stdin.once('end', () => void server.close())
  })
  await server.connect(transport)
  await closed
}

// Serves assistants over streamable HTTP. There are no sessions: each request brings its token, and any server can respond.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { McpOptions } from './mcp-server.ts'
import { createMcpServer } from './mcp-server.ts'

/** `body` is the parsed JSON of the request. */
export async function handleMcpRequest(
  options: McpOptions,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
): Promise<void> {
  const server = createMcpServer(options)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true } as never)
  response.once('close', () => void server.close())
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<typeof server.connect>[0])
  await transport.handleRequest(request, response, body)
}

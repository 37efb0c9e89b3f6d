// A port on loopback that was free a moment ago, for programs that do not choose one themselves.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

// A proxy for a TCP port. When shut, it refuses and cuts connections, like a lost server. It reopens on the same port.
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const MAX_TRIES = 1200

export class TcpGate {
  readonly port: number
  readonly #target: number
  #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server, port: number, target: number) {
    this.#server = server
    this.port = port
    this.#target = target
    this.#serve(server)
  }

  static async open(target: number): Promise<TcpGate> {
    const server = await listening(0)
    return new TcpGate(server, (server.address() as AddressInfo).port, target)
  }

  async shut(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async reopen(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        this.#server = await listening(this.port)
        break
      } catch (error) {
        // Another process may have the port for a moment.
        if (tries === MAX_TRIES) throw error
        await sleep(50)
      }
    }
    this.#serve(this.#server)
  }

  #serve(server: Server): void {
    server.on('connection', (client: Socket) => {
      const behind = connect(this.#target, '127.0.0.1')
      for (const [socket, other] of [
        [client, behind],
        [behind, client],
      ]) {
        this.#sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
  }
}

async function listening(port: number): Promise<Server> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

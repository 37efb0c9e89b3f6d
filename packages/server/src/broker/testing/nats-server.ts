// A NATS server of its own for a test, on a free port.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROGRAM = ['/usr/sbin/nats-server', '/usr/bin/nats-server', '/usr/local/bin/nats-server'].find(existsSync)

/** Why there is none, to be printed; undefined where there is. */
export const WITHOUT_NATS: string | undefined =
  PROGRAM === undefined ? 'nats-server is not installed: brokers of several servers are not tested' : undefined

export class NatsServer {
  readonly port: number
  readonly #directory = mkdtempSync(join(tmpdir(), 'hearth-nats-'))
  #child: ChildProcess | undefined

  private constructor(port: number) {
    this.port = port
  }

  /** `settings` are lines of its configuration. */
  static async start(settings: readonly string[] = []): Promise<NatsServer> {
    const server = new NatsServer(await freePort())
    await server.again(settings)
    return server
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`
  }

  /** On the same port. */
  async again(settings: readonly string[] = []): Promise<void> {
    const file = join(this.#directory, 'nats.conf')
    writeFileSync(file, [`listen: "127.0.0.1:${this.port}"`, ...settings].join('\n'))
    const child = spawn(PROGRAM ?? '', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    let text = ''
    await new Promise<void>((resolve, reject) => {
      // Read to the end: a program that can no longer log would be ended for it.
      child.stderr.on('data', chunk => {
        text += String(chunk)
        if (text.includes('Server is ready')) resolve()
      })
      child.once('exit', () => reject(new Error(`nats-server did not start: ${text}`)))
    })
  }

  /** At once. */
  async kill(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
    this.#child = undefined
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#directory, { recursive: true })
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

// A NATS server for one test, on a free port that it picks.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Debian installs it where the PATH of a user does not lead. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
const PROGRAM = FOLDERS.map(folder => join(folder, 'nats-server')).find(existsSync)

/** The reason to skip NATS tests, to be printed. Undefined if nats-server is installed. */
export const WITHOUT_NATS: string | undefined =
  PROGRAM === undefined ? 'nats-server is not installed, so the mesh is not tested' : undefined

export class NatsServer {
  readonly #directory = mkdtempSync(join(tmpdir(), 'hearth-nats-'))
  /** -1 picks a free port. */
  #port = -1
  #child: ChildProcess | undefined

  /** `settings` are lines of its configuration. */
  static async start(settings: readonly string[] = []): Promise<NatsServer> {
    const server = new NatsServer()
    await server.again(settings)
    return server
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`
  }

  /** Starts again on the same port. Retries while another process has it. */
  async again(settings: readonly string[] = []): Promise<void> {
    while (!(await this.#run(settings))) await sleep(100)
  }

  /** Returns false if the port is in use. */
  async #run(settings: readonly string[]): Promise<boolean> {
    const file = join(this.#directory, 'nats.conf')
    writeFileSync(file, [`listen: "127.0.0.1:${this.#port}"`, ...settings].join('\n'))
    const child = spawn(PROGRAM ?? '', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    let text = ''
    return await new Promise<boolean>((resolve, reject) => {
      // Read to the end: a process that cannot log would be killed.
      child.stderr.on('data', chunk => {
        text += String(chunk)
        if (!text.includes('Server is ready')) return
        this.#port = Number(/client connections on \S+:(\d+)/.exec(text)?.[1])
        resolve(true)
      })
      child.once('close', () => {
        if (text.includes('address already in use')) resolve(false)
        else reject(new Error(`nats-server did not start: ${text}`))
      })
    })
  }

  /** Kills the process at once. */
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

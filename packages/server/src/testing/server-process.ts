// Starts, asks and kills servers that are processes of their own.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SettingName } from '../config/settings.ts'
import type { Readiness } from '../api/http-server.ts'
import type { ServerPorts } from '../server.ts'

export type Flags = Readonly<Partial<Record<SettingName, string>>>

/** What is answered. */
export type Query =
  | { readonly kind: 'select'; readonly id: number; readonly sql: string }
  /** When everything that was acknowledged can be asked for. */
  | { readonly kind: 'settle'; readonly id: number }

export type Asked =
  | Query
  /** Every insert from now on takes so much longer. */
  | { readonly kind: 'slow'; readonly insertMs: number }

export type Told =
  | { readonly kind: 'ready'; readonly ports: ServerPorts }
  | { readonly kind: 'answer'; readonly id: number; readonly rows?: readonly string[]; readonly error?: string }

interface Asker {
  readonly resolve: (rows: readonly string[]) => void
  readonly reject: (error: Error) => void
}

const ENTRY = fileURLToPath(new URL('serve.node.ts', import.meta.url))

export class ServerProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #askers = new Map<number, Asker>()
  #asked = 0
  #ports: ServerPorts | undefined
  /** Everything it has written to its log. */
  log = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#exited = once(child, 'exit')
    child.stderr?.on('data', (text: Buffer) => (this.log += text.toString()))
    child.on('message', (told: Told) => this.#hear(told))
    child.on('exit', () => {
      for (const { reject } of this.#askers.values()) reject(new Error('the server is gone'))
    })
  }

  /** A process that may not be ready yet: see `ready`. */
  static launch(flags: Flags): ServerProcess {
    const all = { port: '0', 'otlp-grpc-port': '0', 'otlp-http-port': '0', ...flags }
    const child = fork(ENTRY, [JSON.stringify(all)], {
      execArgv: ['--conditions=hearth-source', '--import', 'tsx'],
      env: { ...process.env, UV_THREADPOOL_SIZE: '16', NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    return new ServerProcess(child)
  }

  /** Rejects with its log when it ends before it listens. */
  static async start(flags: Flags): Promise<ServerProcess> {
    const process = ServerProcess.launch(flags)
    await process.ready()
    return process
  }

  async ready(): Promise<void> {
    while (this.#ports === undefined) {
      await Promise.race([once(this.#child, 'message'), this.#exited])
      if (!this.alive) throw new Error(`the server did not start:\n${this.log}`)
    }
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get ports(): ServerPorts {
    if (this.#ports === undefined) throw new Error('the server is not ready')
    return this.#ports
  }

  /** As kill -9 does it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** In order; returns the exit code. */
  async end(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    await this.#exited
    return this.#child.exitCode
  }

  /** Rows as the texts of tuples. */
  select(sql: string): Promise<readonly string[]> {
    return this.#ask(id => ({ kind: 'select', id, sql }))
  }

  /** Acknowledged is committed; this waits until it can be asked for, too. */
  async settled(): Promise<void> {
    await this.#ask(id => ({ kind: 'settle', id }))
  }

  slow(insertMs: number): void {
    this.#send({ kind: 'slow', insertMs })
  }

  async readiness(): Promise<Readiness & { readonly status: number; readonly codes: readonly string[] }> {
    const response = await fetch(`http://127.0.0.1:${this.ports.http}/readyz`)
    const state = (await response.json()) as Readiness
    return { ...state, status: response.status, codes: state.problems.map(({ code }) => code) }
  }

  /** Bytes in memory: `VmRSS` now, `VmHWM` at the most so far. */
  memory(what: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  }

  #ask(question: (id: number) => Query): Promise<readonly string[]> {
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#askers.set(id, { resolve, reject })
      this.#send(question(id))
    })
  }

  #send(asked: Asked): void {
    this.#child.send(asked)
  }

  #hear(told: Told): void {
    if (told.kind === 'ready') {
      this.#ports = told.ports
      return
    }
    const asker = this.#askers.get(told.id)
    this.#askers.delete(told.id)
    if (told.rows !== undefined) asker?.resolve(told.rows)
    else asker?.reject(new Error(told.error))
  }
}

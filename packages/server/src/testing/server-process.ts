// Starts, queries and kills servers in their own processes.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SettingName } from '../config/settings.ts'
import type { Readiness } from '../api/http-server.ts'
import type { ServerPorts } from '../server.ts'

export type Flags = Readonly<Partial<Record<SettingName, string>>>

/** Commands with a result. */
export type ProcessQuery =
  | { readonly kind: 'select'; readonly id: number; readonly sql: string }
  /** Resolves when all acknowledged requests are visible to queries. */
  | { readonly kind: 'settle'; readonly id: number }

export type Command =
  | ProcessQuery
  /** Delays every further insert. Delays in progress end. */
  | { readonly kind: 'slow'; readonly insertMs: number }
  /** Makes every write of the journal fail, as on a full disk. */
  | { readonly kind: 'fill'; readonly isFull: boolean }

export type ProcessReport =
  | { readonly kind: 'ready'; readonly ports: ServerPorts }
  | { readonly kind: 'result'; readonly id: number; readonly rows?: readonly string[]; readonly error?: string }

interface PendingQuery {
  readonly resolve: (rows: readonly string[]) => void
  readonly reject: (error: Error) => void
}

/** Built by tools/build-packages.ts before the first test. */
const ENTRY = fileURLToPath(new URL('../../dist/testing/serve.node.js', import.meta.url))

export class ServerProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #pending = new Map<number, PendingQuery>()
  #count = 0
  #ports: ServerPorts | undefined
  /** The log output so far. */
  log = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#exited = once(child, 'exit')
    child.stderr?.on('data', (text: Buffer) => (this.log += text.toString()))
    child.on('message', (report: ProcessReport) => this.#receive(report))
    child.on('exit', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the server is gone'))
    })
  }

  /** Starts a process without waiting until it is ready. */
  static launch(flags: Flags, env: Readonly<Record<string, string>> = {}): ServerProcess {
    // Each request waits for a commit, and tests send many after one another.
    const all = { port: '0', 'otlp-grpc-port': '0', 'otlp-http-port': '0', 'commit-window': '10ms', ...flags }
    const child = fork(ENTRY, [JSON.stringify(all)], {
      execArgv: [],
      env: { ...process.env, UV_THREADPOOL_SIZE: '16', NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    return new ServerProcess(child)
  }

  /** Rejects with the log if the process ends before it is ready. */
  static async start(flags: Flags, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const process = ServerProcess.launch(flags, env)
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

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get ports(): ServerPorts {
    if (this.#ports === undefined) throw new Error('the server is not ready')
    return this.#ports
  }

  /** Like kill -9. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** Shuts down gracefully and returns the exit code. */
  async end(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    await this.#exited
    return this.#child.exitCode
  }

  /** Returns each row as the text of a tuple. */
  select(sql: string): Promise<readonly string[]> {
    return this.#query(id => ({ kind: 'select', id, sql }))
  }

  /** Resolves when all acknowledged requests are visible to queries. */
  async settled(): Promise<void> {
    await this.#query(id => ({ kind: 'settle', id }))
  }

  slow(insertMs: number): void {
    this.#send({ kind: 'slow', insertMs })
  }

  fillDisk(isFull: boolean): void {
    this.#send({ kind: 'fill', isFull })
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name)
  }

  /** The number of open file descriptors. */
  descriptors(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length
  }

  async readiness(): Promise<Readiness & { readonly status: number; readonly codes: readonly string[] }> {
    const response = await fetch(`http://127.0.0.1:${this.ports.http}/readyz`)
    const state = (await response.json()) as Readiness
    return { ...state, status: response.status, codes: state.problems.map(({ code }) => code) }
  }

  /** The readiness when the data of the first queries is read. */
  async prepared(): ReturnType<ServerProcess['readiness']> {
    for (;;) {
      const state = await this.readiness()
      if (!state.codes.includes('queries-not-prepared')) return state
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  /** Resident memory in bytes: `VmRSS` is current, `VmHWM` is the peak. */
  memory(what: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  }

  #query(make: (id: number) => ProcessQuery): Promise<readonly string[]> {
    const id = ++this.#count
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#send(make(id))
    })
  }

  #send(command: Command): void {
    this.#child.send(command)
  }

  #receive(report: ProcessReport): void {
    if (report.kind === 'ready') {
      this.#ports = report.ports
      return
    }
    const pending = this.#pending.get(report.id)
    this.#pending.delete(report.id)
    if (report.rows !== undefined) pending?.resolve(report.rows)
    else pending?.reject(new Error(report.error))
  }
}

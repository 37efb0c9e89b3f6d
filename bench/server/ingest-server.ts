// A built server in its own process, on an embedded store in a new directory, with its CPU and memory figures.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuSeconds, mainThreadSeconds, memoryOf } from './process-usage.ts'

const HEARTH = fileURLToPath(new URL('../../../packages/cli/bin/hearth.cjs', import.meta.url))

export interface CpuSeconds {
  /** CPU seconds of the thread that runs JavaScript. */
  readonly main: number
  /** CPU seconds of the threads of the store, of V8 and of the pool. */
  readonly others: number
}

export class IngestServer {
  readonly directory: string
  readonly #child: ChildProcess
  readonly #isKept: boolean
  #ports: { readonly grpc: number; readonly http: number; readonly otlp: string } | undefined

  private constructor(directory: string, child: ChildProcess, isKept: boolean) {
    this.directory = directory
    this.#child = child
    this.#isKept = isKept
  }

  /** Starts a server in a new temporary directory, unless one is given, and waits until it is ready. */
  static async start(
    flags: readonly string[],
    nodeFlags: readonly string[] = [],
    given?: string,
  ): Promise<IngestServer> {
    const directory = given ?? mkdtempSync(join(process.env['HEARTH_BENCH_DIR'] ?? tmpdir(), 'hearth-ingest-'))
    const ports = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0', '--log-level', 'warn']
    const child = spawn(process.execPath, [...nodeFlags, HEARTH, 'serve', '--data', directory, ...ports, ...flags], {
      env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const server = new IngestServer(directory, child, given !== undefined)
    let text = ''
    for await (const chunk of child.stdout) {
      text += String(chunk)
      const grpc = /gRPC\s+\S+:(\d+)/.exec(text)
      const http = /:(\d+)\/api\/v1\//.exec(text)
      const otlp = /OTLP over HTTP\s+(\S+)/.exec(text)
      if (grpc === null || http === null || otlp === null) continue
      server.#ports = { grpc: Number(grpc[1]), http: Number(http[1]), otlp: otlp[1] }
      await server.#ready()
      return server
    }
    throw new Error(`the server did not start: ${text}`)
  }

  async #ready(): Promise<void> {
    while (!(await fetch(`http://127.0.0.1:${this.httpPort}/readyz`)).ok) await sleep(5)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get grpcPort(): number {
    return this.#ports?.grpc ?? 0
  }

  get httpPort(): number {
    return this.#ports?.http ?? 0
  }

  /** The port of OTLP over HTTP. */
  get otlp(): string {
    return this.#ports?.otlp ?? ''
  }

  /** Waits until everything is in the store: the journal is empty. */
  async settled(): Promise<void> {
    while (readdirSync(join(this.directory, 'journal')).some(name => /^\d/.test(name))) await sleep(20)
  }

  /** The sum of a metric's values whose labels contain `label`. */
  async metric(name: string, label = ''): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#ports?.http}/metrics`)
    let sum = 0
    for (const line of (await response.text()).split('\n'))
      if (line.startsWith(name) && /[ {]/.test(line[name.length]) && line.includes(label))
        sum += Number(line.slice(line.lastIndexOf(' ')))
    return sum
  }

  /** Peak memory in bytes. */
  get peakMemory(): number {
    return memoryOf(this.pid, 'VmHWM')
  }

  /** Current memory in bytes. */
  get memory(): number {
    return memoryOf(this.pid, 'VmRSS')
  }

  get cpu(): CpuSeconds {
    const main = mainThreadSeconds(this.pid)
    return { main, others: cpuSeconds(this.pid) - main }
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
    if (!this.#isKept) rmSync(this.directory, { recursive: true, force: true })
  }
}

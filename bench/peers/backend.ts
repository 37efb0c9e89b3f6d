// A server that the benchmark fills and queries: how it is started, where requests go, and its queries.
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './push-load.ts'

/** Milliseconds since 1970. */
export interface Range {
  readonly start: number
  readonly end: number
}

export type QueryName = 'everything' | 'service' | 'pprof' | 'series' | 'label values' | 'profile types'

/**
 * Sends a query and returns the size of its result: the total of a flame graph, the bytes of a profile, or the number of
 * points, values or types.
 */
export type Query = (range: Range, service: string) => Promise<bigint>

export interface RunningBackend {
  readonly pid: number
  readonly pprof: Target
  /** Undefined if the server does not receive OTLP over HTTP. */
  readonly otlp?: Target
  readonly queries: Readonly<Record<QueryName, Query>>
  stop(): Promise<void>
}

export interface Backend {
  readonly name: string
  /** Starts the server on data in a folder and waits until it is ready. */
  start(folder: string): Promise<RunningBackend>
  /** The number of profiles that the server can keep on this machine. Default: no limit. */
  readonly maxProfiles?: number
}

export const TYPE = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds'
/** Excludes the profiles that servers store of themselves. */
export const EVERYTHING = '{service_name=~"bench-.+"}'

const START_SECONDS = 60
const STOP_SECONDS = 20
/** A query that takes longer fails. */
export const QUERY_MS = 30_000

/** A program of another project that runs until it is stopped. */
export class PeerProcess {
  readonly #child: ChildProcess
  #output = ''

  constructor(file: string, args: readonly string[], options: Pick<SpawnOptions, 'cwd' | 'env'> = {}) {
    this.#child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {}, ...options })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      // The end of the output is enough to explain a failure.
      stream?.on('data', (chunk: Buffer) => (this.#output = (this.#output + chunk.toString()).slice(-4000)))
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Waits until a URL responds with success. Throws if the program ends before, or takes longer than a minute. */
  async ready(url: string): Promise<void> {
    for (const until = performance.now() + START_SECONDS * 1000; performance.now() < until; await sleep(50)) {
      if (this.#child.exitCode !== null) break
      const isReady = await fetch(url, { signal: AbortSignal.timeout(1000) }).then(
        response => response.ok,
        () => false,
      )
      if (isReady) return
    }
    await this.stop()
    throw new Error(`${url} is not ready:\n${this.#output}`)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_SECONDS * 1000)
    await ended.finally(() => clearTimeout(late))
  }
}

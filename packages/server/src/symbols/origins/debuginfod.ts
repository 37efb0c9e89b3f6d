// Downloads debug files from debuginfod servers: GET /buildid/HEX/debuginfo, and /executable where there is no debug file.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { MAX_SOURCE_BYTES } from '../../source/source-folders.ts'
import { limited } from '../limited-stream.ts'

export interface DebuginfodOptions {
  readonly servers: readonly string[]
  readonly maxFileBytes: number
  /** For the whole download of one file; 5 minutes unless given. */
  readonly timeoutMs?: number
}

/** `missing` is final: no server has the file. `failed` may be different later. */
export type Download =
  | { readonly kind: 'downloaded' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string }

export type SourceDownload =
  | { readonly kind: 'found'; readonly text: string }
  | Exclude<Download, { kind: 'downloaded' }>

const DEFAULT_TIMEOUT_MS = 300_000
/** A person waits for the text. */
const SOURCE_TIMEOUT_MS = 10_000
/** debuginfod serves GNU build ids only. */
const GNU_BUILD_ID = /^(?:[0-9a-f]{2}){4,32}$/

export class Debuginfod {
  readonly #options: DebuginfodOptions
  readonly #abort = new AbortController()

  constructor(options: DebuginfodOptions) {
    this.#options = options
  }

  static serves(buildId: string): boolean {
    return GNU_BUILD_ID.test(buildId)
  }

  /** Writes the file to `path`. Servers are tried in their order. */
  async download(buildId: string, path: string): Promise<Download> {
    let failure: string | undefined
    for (const kind of ['debuginfo', 'executable']) {
      for (const server of this.#options.servers) {
        const result = await this.#get(`${server.replace(/\/+$/, '')}/buildid/${buildId}/${kind}`, path)
        if (result.kind === 'downloaded') return result
        if (result.kind === 'failed') failure ??= result.message
      }
    }
    return failure === undefined ? { kind: 'missing' } : { kind: 'failed', message: failure }
  }

  /** The text of a source file by its absolute path. Servers are tried in their order. */
  async source(buildId: string, path: string): Promise<SourceDownload> {
    let failure: string | undefined
    for (const server of this.#options.servers) {
      const encoded = path.split('/').map(encodeURIComponent).join('/')
      const host = new URL(server).host
      try {
        const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(SOURCE_TIMEOUT_MS)])
        const url = `${server.replace(/\/+$/, '')}/buildid/${buildId}/source${encoded}`
        const response = await fetch(url, { signal, headers: { 'user-agent': 'hearth' } })
        if (response.ok && response.body !== null) {
          const chunks: Uint8Array[] = []
          const body = Readable.fromWeb(response.body as ReadableStream)
          for await (const chunk of body.pipe(limited(MAX_SOURCE_BYTES))) chunks.push(chunk as Uint8Array)
          return { kind: 'found', text: Buffer.concat(chunks).toString('utf8') }
        }
        await response.body?.cancel()
        if (response.status !== 404) failure ??= `${host} responded ${response.status}`
      } catch (error) {
        failure ??= `${host}: ${reasonOf(error)}`
      }
    }
    return failure === undefined ? { kind: 'missing' } : { kind: 'failed', message: failure }
  }

  close(): void {
    this.#abort.abort()
  }

  async #get(url: string, path: string): Promise<Download> {
    const { maxFileBytes, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options
    const host = new URL(url).host
    try {
      const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(timeoutMs)])
      const response = await fetch(url, { signal, headers: { 'user-agent': 'hearth' } })
      if (response.status === 404) {
        await response.body?.cancel()
        return { kind: 'missing' }
      }
      if (!response.ok || response.body === null) {
        await response.body?.cancel()
        return { kind: 'failed', message: `${host} responded ${response.status}` }
      }
      const body = Readable.fromWeb(response.body as ReadableStream)
      await pipeline(body, limited(maxFileBytes), createWriteStream(path), { signal })
      return { kind: 'downloaded' }
    } catch (error) {
      return { kind: 'failed', message: `${host}: ${reasonOf(error)}` }
    }
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as Error
  return cause instanceof Error ? cause.message : error instanceof Error ? error.message : String(error)
}

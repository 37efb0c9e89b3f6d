// Texts of source files that belong to binaries: from uploaded archives, and from debuginfod servers.
import { isAbsolute, join } from 'node:path'
import type { SourceText } from '../source/source-folders.ts'
import { findInSources } from '../source/source-index.ts'
import { SOURCES_FORMAT } from './about-file.ts'
import { Debuginfod } from './origins/debuginfod.ts'
import type { StoredDebugFile } from './symbol-area.ts'

/** Texts of debuginfod servers are kept in memory: a file is requested again for every line of a view. */
const MAX_TEXT_BYTES = 64 * 2 ** 20
const MISSING_MS = 24 * 3_600_000
const FAILED_MS = 60_000
const MAX_REMEMBERED = 10_000

interface Remembered {
  readonly text: string | undefined
  readonly until: number
}

export class SourceTexts {
  readonly #debuginfod: Debuginfod | undefined
  /** The least recently used first. */
  readonly #known = new Map<string, Remembered>()
  #bytes = 0

  constructor(debuginfod: readonly string[], maxFileBytes: number) {
    this.#debuginfod = debuginfod.length === 0 ? undefined : new Debuginfod({ servers: debuginfod, maxFileBytes })
  }

  /** Looks into the archives in their order. */
  async inArchives(files: readonly StoredDebugFile[], path: string): Promise<SourceText | undefined> {
    for (const { about, folder } of files) {
      if (about.format !== SOURCES_FORMAT) continue
      const found = await findInSources(join(folder, 'index'), path)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** `buildIds` are those of binaries whose debug files came from a debuginfod server, so that it knows them already. */
  async fromDebuginfod(buildIds: readonly string[], path: string): Promise<SourceText | undefined> {
    if (this.#debuginfod === undefined || !isAbsolute(path)) return undefined
    for (const buildId of buildIds.filter(id => Debuginfod.serves(id))) {
      const text = await this.#textOf(this.#debuginfod, buildId, path)
      if (text !== undefined && !text.includes('\0')) return { path: path.replace(/^\/+/, ''), text }
    }
    return undefined
  }

  close(): void {
    this.#debuginfod?.close()
  }

  async #textOf(debuginfod: Debuginfod, buildId: string, path: string): Promise<string | undefined> {
    const key = `${buildId} ${path}`
    const known = this.#known.get(key)
    if (known !== undefined && known.until > Date.now()) return known.text
    const result = await debuginfod.source(buildId, path)
    const text = result.kind === 'found' ? result.text : undefined
    this.#remember(key, { text, until: Date.now() + (result.kind === 'failed' ? FAILED_MS : MISSING_MS) })
    return text
  }

  #remember(key: string, remembered: Remembered): void {
    this.#forget(key)
    this.#known.set(key, remembered)
    this.#bytes += remembered.text?.length ?? 0
    for (const oldest of this.#known.keys()) {
      if (this.#bytes <= MAX_TEXT_BYTES && this.#known.size <= MAX_REMEMBERED) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#known.get(key)?.text?.length ?? 0
    this.#known.delete(key)
  }
}

// Debug files of all tenants, and what is known about the binaries of a profile. Lives on the main thread, which only moves
// bytes: threads index files and look addresses up.
import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MappedBinary } from '@hearth/profile'
import { breakpadId } from '@hearth/profile'
import type { AboutFile, DebugFileOrigin } from './about-file.ts'
import { SOURCES_FORMAT, isBetter } from './about-file.ts'
import type { FoundBinary, UnresolvedReason } from './found-binary.ts'
import type { IndexTask, IndexedFile } from './index-file.ts'
import { Indexer } from './indexer.ts'
import { detached, limited } from './limited-stream.ts'
import type { MissingState } from './origins/missing-files.ts'
import { MissingFiles } from './origins/missing-files.ts'
import type { SourceText } from '../source/source-folders.ts'
import { SourceTexts } from './source-texts.ts'
import type { StoredDebugFile } from './symbol-area.ts'
import { SymbolArea } from './symbol-area.ts'
import { DebugFileError } from './debug-file-error.ts'

export interface SymbolStoreOptions {
  readonly folder: string
  /** The file of indexing threads. */
  readonly entry: URL
  /** For each tenant. */
  readonly quotaBytes: number
  readonly maxFileBytes: number
  /** For files from folders and debuginfod servers, shared by all tenants. */
  readonly cacheBytes: number
  readonly folders: readonly string[]
  readonly debuginfod: readonly string[]
  readonly publicNames: readonly string[]
  /** The symbols of the tenant have changed, or those of all tenants. */
  readonly onChange: (tenant: string | undefined) => void
  readonly onError: (error: unknown) => void
}

export interface AddOptions {
  readonly name: string
  readonly source: DebugFileOrigin
  /** Build ids that the sender knows and the content may not have. */
  readonly buildIds?: readonly string[]
  /** Accepts a binary without names, whose code can be disassembled. */
  readonly acceptsCode?: boolean
  /** Files of this machine with split units (.dwo), by name. */
  readonly splitUnits?: Readonly<Record<string, string>>
}

/** A burst of downloads becomes one change: after each, query threads load the tenant's names again. */
const CHANGE_MS = 1000
const MAX_BUILD_ID_LENGTH = 256

export class SymbolStore {
  readonly #options: SymbolStoreOptions
  readonly #incoming: string
  readonly #indexer: Indexer
  readonly #tenants = new Map<string, SymbolArea>()
  readonly #shared: SymbolArea
  readonly #missing: MissingFiles
  readonly #texts: SourceTexts
  #changeTimer: NodeJS.Timeout | undefined

  constructor(options: SymbolStoreOptions) {
    this.#options = options
    const { folder, entry, cacheBytes, folders, debuginfod, publicNames, maxFileBytes } = options
    this.#incoming = join(folder, 'incoming')
    // Uploads that were in progress when the server ended.
    rmSync(this.#incoming, { recursive: true, force: true })
    mkdirSync(this.#incoming, { recursive: true })
    mkdirSync(join(folder, 'tenants'), { recursive: true })
    this.#indexer = new Indexer({ entry })
    for (const tenant of readdirSync(join(folder, 'tenants'))) this.#area(tenant)
    this.#shared = new SymbolArea({ folder: join(folder, 'shared'), maxBytes: cacheBytes, whenFull: 'drop' })
    this.#texts = new SourceTexts(debuginfod, maxFileBytes)
    this.#missing = new MissingFiles({
      folders,
      debuginfod,
      publicNames,
      maxFileBytes,
      indexer: this.#indexer,
      store: async ({ name, ...file }, fetch) =>
        (await this.#receive(this.#shared, { ...file, name: basename(name) }, fetch)).about,
      onChange: () => this.#changeSoon(),
    })
  }

  /** Stores an uploaded file. Throws DebugFileError. */
  async add(tenant: string, content: Readable, options: AddOptions): Promise<AboutFile> {
    const area = this.#area(tenant)
    area.checkRoom(0)
    const room = Math.min(this.#options.maxFileBytes, Math.max(0, area.maxBytes - area.bytes))
    const { about } = await this.#receive(area, options, async path => {
      await pipeline(detached(content), limited(room), createWriteStream(path))
    })
    this.#options.onChange(tenant)
    return about
  }

  files(tenant: string): readonly AboutFile[] {
    return this.#area(tenant).files.map(({ about }) => about)
  }

  /** The bytes in use, and the quota. */
  usage(tenant: string): { readonly bytes: number; readonly quotaBytes: number } {
    const { bytes, maxBytes } = this.#area(tenant)
    return { bytes, quotaBytes: maxBytes }
  }

  async remove(tenant: string, id: string): Promise<boolean> {
    const removed = await this.#area(tenant).remove(id)
    if (removed) this.#options.onChange(tenant)
    return removed
  }

  /** The best file for the build ids that the tenant can use. */
  best(tenant: string, buildIds: readonly string[]): AboutFile | undefined {
    return this.#bestOf(tenant, buildIds)?.about
  }

  /** Whether a file with the code of the binary is stored. */
  hasCode(tenant: string, buildIds: readonly string[]): boolean {
    return this.#candidates(tenant, buildIds).some(({ about }) => about.code !== undefined)
  }

  /** The text of a source file in the archives of these build ids, or of no build id, or on a debuginfod server. */
  async sourceText(tenant: string, path: string, buildIds: readonly string[]): Promise<SourceText | undefined> {
    const archives = this.#area(tenant).find(buildIds)
    const found = await this.#texts.inArchives(archives, path)
    if (found !== undefined) return found
    const general = this.#area(tenant).files.filter(({ about }) => isForAll(about))
    const inGeneral = await this.#texts.inArchives(general.toReversed(), path)
    if (inGeneral !== undefined) return inGeneral
    const isKnown = this.#shared.find(buildIds).some(({ about }) => about.source === 'debuginfod')
    return isKnown ? await this.#texts.fromDebuginfod(buildIds, path) : undefined
  }

  /** Whether the tenant has an archive with the source code of a binary. */
  hasSourcesOf(tenant: string, buildId: string): boolean {
    return this.#area(tenant)
      .find([buildId])
      .some(({ about }) => about.format === SOURCES_FORMAT)
  }

  /** Whether the tenant has archives of source code. */
  hasSources(tenant: string): boolean {
    return this.#area(tenant).files.some(({ about }) => about.format === SOURCES_FORMAT)
  }

  /** Tries again to fetch the files of these build ids. */
  retry(buildIds: readonly string[]): void {
    this.#missing.retry(buildIds)
    this.#options.onChange(undefined)
  }

  /** Never waits: files that are missing are fetched for later queries. */
  find(tenant: string, binary: MappedBinary): FoundBinary {
    const sentIds = Object.values(binary.buildIds)
    if (sentIds.length === 0) return { reason: 'no-build-id' }
    // Breakpad's files have the build id in another form.
    const ofBreakpad = breakpadId(binary.buildIds.gnu ?? '')
    const buildIds = ofBreakpad === undefined ? sentIds : [...sentIds, ofBreakpad]
    const best = this.#bestOf(tenant, buildIds)
    const missing = best?.about.quality === 'lines' ? undefined : this.#missing.request(binary)
    if (best === undefined || best.about.quality === 'none') return unresolved(missing)
    const { about, folder } = best
    const candidates = this.#candidates(tenant, buildIds)
    const withOffsets = candidates.find(file => hasOffsets(file.about))
    const withCode = candidates.find(file => file.about.code !== undefined)
    return {
      index: join(folder, 'index'),
      segments: (withOffsets ?? best).about.segments,
      kernelStart: about.kernelStart,
      code: withCode && {
        path: join(withCode.folder, 'file'),
        machine: withCode.about.code ?? '',
        segments: withCode.about.segments,
      },
      file: {
        name: about.name,
        source: about.source,
        quality: about.quality,
        bytes: about.fileBytes,
        created: about.created,
      },
      reason: missing === undefined ? undefined : unresolved(missing).reason,
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#changeTimer)
    this.#missing.close()
    this.#texts.close()
    await this.#indexer.close()
  }

  #area(tenant: string): SymbolArea {
    let area = this.#tenants.get(tenant)
    if (area === undefined) {
      const { folder, quotaBytes: maxBytes } = this.#options
      area = new SymbolArea({ folder: join(folder, 'tenants', tenant), maxBytes, whenFull: 'reject' })
      this.#tenants.set(tenant, area)
    }
    return area
  }

  #candidates(tenant: string, buildIds: readonly string[]): readonly StoredDebugFile[] {
    return [...(this.#tenants.get(tenant)?.find(buildIds) ?? []), ...this.#shared.find(buildIds)]
  }

  #bestOf(tenant: string, buildIds: readonly string[]): StoredDebugFile | undefined {
    let best: StoredDebugFile | undefined
    for (const file of this.#candidates(tenant, buildIds))
      if (best === undefined || isBetter(file.about.quality, best.about.quality)) best = file
    return best
  }

  /** Receives a file into a folder of its own, indexes it there, and moves it into the area. */
  async #receive(
    area: SymbolArea,
    { name, source, buildIds = [], acceptsCode, splitUnits }: AddOptions,
    write: (path: string) => Promise<void>,
  ): Promise<StoredDebugFile> {
    if (buildIds.some(id => id === '' || id.length > MAX_BUILD_ID_LENGTH))
      throw new DebugFileError('broken', `a build id must have 1 to ${MAX_BUILD_ID_LENGTH} characters`)
    const incoming = join(this.#incoming, randomUUID())
    await mkdir(incoming, { recursive: true })
    try {
      await write(join(incoming, 'file'))
      const task = { file: join(incoming, 'file'), index: join(incoming, 'index'), acceptsCode, splitUnits }
      let indexed = await this.#indexer.index(task)
      const others = otherParts(area, indexed, buildIds)
      if (others !== undefined) indexed = await this.#indexer.index({ ...task, ...others })
      const about: AboutFile = {
        ...indexed,
        name,
        source,
        buildIds: [...new Set([...indexed.buildIds, ...buildIds])],
        created: Date.now(),
      }
      const added = await area.add(incoming, about)
      await this.#supplementOthers(area, added)
      return added
    } finally {
      await rm(incoming, { recursive: true, force: true })
    }
  }

  /** Indexes the files again that wait for the rest of their debug information. */
  async #supplementOthers(area: SymbolArea, { about }: StoredDebugFile): Promise<void> {
    const waiting = area.files.filter(
      file =>
        (file.about.supplemented === false && about.buildIds.includes(file.about.supplement ?? '')) ||
        (about.isPackage === true &&
          file.about.missingUnits !== undefined &&
          file.about.buildIds.some(id => about.buildIds.includes(id))),
    )
    for (const { about: other, folder: otherFolder } of waiting) {
      const incoming = join(this.#incoming, randomUUID())
      await mkdir(incoming, { recursive: true })
      try {
        await copyFile(join(otherFolder, 'file'), join(incoming, 'file'))
        const task = { file: join(incoming, 'file'), index: join(incoming, 'index') }
        const indexed = await this.#indexer.index({ ...task, ...otherParts(area, other, other.buildIds) })
        await area.add(incoming, { ...other, missingUnits: undefined, ...indexed, buildIds: other.buildIds })
      } catch (error) {
        // The file stays as it was.
        this.#options.onError(error)
      } finally {
        await rm(incoming, { recursive: true, force: true })
      }
    }
  }

  #changeSoon(): void {
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined
      this.#options.onChange(undefined)
    }, CHANGE_MS)
    this.#changeTimer.unref()
  }
}

/** The files with the rest of a file's debug information. Undefined if it has all, or the area has none of them. */
function otherParts(
  area: SymbolArea,
  { supplement, missingUnits, buildIds }: Pick<IndexedFile, 'supplement' | 'missingUnits' | 'buildIds'>,
  sentIds: readonly string[],
): Pick<IndexTask, 'supplement' | 'package'> | undefined {
  const shared = supplement === undefined ? undefined : area.find([supplement]).at(0)
  const ids = [...buildIds, ...sentIds]
  const split = missingUnits === undefined ? undefined : area.find(ids).find(({ about }) => about.isPackage === true)
  if (shared === undefined && split === undefined) return undefined
  return {
    supplement: shared && join(shared.folder, 'file'),
    package: split && join(split.folder, 'file'),
  }
}

/** An archive that was uploaded without a build id has only the hash of its content. */
function isForAll({ format, buildIds }: AboutFile): boolean {
  return format === SOURCES_FORMAT && buildIds.length === 1
}

function hasOffsets({ segments }: AboutFile): boolean {
  return segments.some(({ executable, fileSize }) => executable && fileSize > 0)
}

const REASONS: Readonly<Record<MissingState['kind'], UnresolvedReason>> = {
  unknown: 'no-debug-info',
  missing: 'no-debug-info',
  private: 'no-debug-info',
  downloading: 'downloading',
  failed: 'download-failed',
}

function unresolved(state: MissingState | undefined): { readonly reason: UnresolvedReason; readonly message?: string } {
  if (state === undefined) return { reason: 'no-debug-info' }
  return { reason: REASONS[state.kind], ...(state.kind === 'failed' ? { message: state.message } : {}) }
}

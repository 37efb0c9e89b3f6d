// Fetches debug files that no tenant has uploaded, from folders and debuginfod servers, and remembers what failed. One file at a
// time: a host with hundreds of libraries must not flood a server.
import { copyFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { MappedBinary } from '@hearth/profile'
import type { Indexer } from '../indexer.ts'
import type { AboutFile, DebugFileOrigin } from '../about-file.ts'
import { Debuginfod } from './debuginfod.ts'
import { isPublicBinary } from './public-binaries.ts'

export interface MissingFilesOptions {
  /** Folders with binaries and debug files, or in the layout of /usr/lib/debug. */
  readonly folders: readonly string[]
  readonly debuginfod: readonly string[]
  /** Names of binaries that may be requested from debuginfod; see isPublicBinary. */
  readonly publicNames: readonly string[]
  readonly maxFileBytes: number
  readonly indexer: Indexer
  /** Fetches the file with `fetch`, indexes it and stores it. Throws DebugFileError. */
  readonly store: (file: FetchedFile, fetch: (path: string) => Promise<void>) => Promise<AboutFile>
  /** Called when the state of a build id has changed. */
  readonly onChange: () => void
  readonly now?: () => number
}

export interface FetchedFile {
  readonly source: DebugFileOrigin
  readonly name: string
  /** Build ids of the binary, which the file itself may not have. */
  readonly buildIds: readonly string[]
  readonly acceptsCode?: boolean
  readonly splitUnits?: Readonly<Record<string, string>>
}

export type MissingState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'downloading' }
  | { readonly kind: 'missing' }
  /** The server may not ask for it. */
  | { readonly kind: 'private' }
  | { readonly kind: 'failed'; readonly message: string }

/** A binary whose file is to be fetched. */
interface Waiting {
  readonly filename: string
  /** Whether the id is a GNU build id, the only kind that debuginfod servers know. */
  readonly isGnu: boolean
}

interface Attempt {
  readonly state: MissingState
  readonly until: number
}

/** Distributions publish debug files with the packages, so a miss is final for a day. */
const MISSING_MS = 24 * 3_600_000
const FAILED_MS = 5 * 60_000
const RESCAN_MS = 10 * 60_000
const MAX_REMEMBERED = 100_000
/** Waiting downloads beyond this are left to later queries. */
const MAX_WAITING = 1000
/** Copies of one binary in several folders are of no use. */
const MAX_OTHERS = 1

export class MissingFiles {
  readonly #options: MissingFilesOptions
  readonly #debuginfod: Debuginfod | undefined
  readonly #attempts = new Map<string, Attempt>()
  readonly #waiting = new Map<string, Waiting>()
  #folders: Promise<FolderFiles> | undefined
  #scanned = 0
  #running = false
  #closed = false

  constructor(options: MissingFilesOptions) {
    this.#options = options
    const { debuginfod: servers, maxFileBytes } = options
    this.#debuginfod = servers.length === 0 ? undefined : new Debuginfod({ servers, maxFileBytes })
  }

  /** The state of a binary without a debug file. Starts to fetch it if that was not tried lately. */
  request({ filename, buildIds }: MappedBinary): MissingState {
    const { folders, publicNames } = this.#options
    if (folders.length === 0 && this.#debuginfod === undefined) return { kind: 'unknown' }
    const ids = Object.values(buildIds)
    const states = ids.map(id => this.#stateOf(id)).filter(state => state !== undefined)
    const known =
      states.find(({ kind }) => kind === 'downloading') ?? states.find(({ kind }) => kind === 'failed') ?? states.at(0)
    if (known !== undefined || ids.length === 0) return known ?? { kind: 'unknown' }
    const isPublic = isPublicBinary(filename, publicNames)
    const { gnu } = buildIds
    const wanted = ids.filter(id => folders.length > 0 || (isPublic && id === gnu && Debuginfod.serves(id)))
    if (wanted.length === 0) {
      return { kind: this.#debuginfod !== undefined && !isPublic ? 'private' : 'unknown' }
    }
    for (const id of wanted) {
      if (this.#waiting.size < MAX_WAITING) this.#waiting.set(id, { filename, isGnu: id === gnu })
    }
    void this.#run()
    return { kind: 'downloading' }
  }

  /** Forgets that the build ids are missing, so that the next query fetches them again. */
  retry(buildIds: readonly string[]): void {
    for (const id of buildIds) this.#attempts.delete(id)
    this.#scanned = 0
  }

  close(): void {
    this.#closed = true
    this.#waiting.clear()
    this.#debuginfod?.close()
  }

  #stateOf(id: string): MissingState | undefined {
    if (this.#waiting.has(id)) return { kind: 'downloading' }
    const attempt = this.#attempts.get(id)
    return attempt !== undefined && attempt.until > this.#now() ? attempt.state : undefined
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    for (const [id, waiting] of this.#waiting) {
      const state = await this.#fetch(id, waiting)
      if (this.#closed) break
      this.#waiting.delete(id)
      this.#remember(id, state)
      this.#options.onChange()
    }
    this.#running = false
  }

  async #fetch(id: string, { filename: name, isGnu }: Waiting): Promise<MissingState> {
    const { publicNames } = this.#options
    try {
      if (await this.#fromFolders(id, name)) return { kind: 'unknown' }
      if (this.#debuginfod === undefined || !isGnu || !Debuginfod.serves(id)) return { kind: 'missing' }
      if (!isPublicBinary(name, publicNames)) return { kind: 'private' }
      const about = await this.#fromDebuginfod(id, name)
      await this.#fetchSupplement(about)
      return { kind: 'unknown' }
    } catch (error) {
      if (error instanceof NotThere) return { kind: 'missing' }
      return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Stores the files of a build id with the other parts of their debug information. Returns false if there are none. */
  async #fromFolders(id: string, name: string): Promise<boolean> {
    const { byId, paths } = await this.#inFolders()
    const [path, ...others] = byId.get(id) ?? []
    if (path === undefined) return false
    const store = async (from: string, acceptsCode: boolean): Promise<AboutFile> => {
      const file = { source: 'folder', name, buildIds: [id], acceptsCode, splitUnits: splitUnitsIn(paths) } as const
      return await this.#options.store(file, async target => copyFile(from, target))
    }
    const about = await store(path, false)
    const packages = [`${path}.dwp`, path.replace(/\.debug$/, '.dwp')].flatMap(wanted =>
      paths.filter(each => each === wanted || basename(each) === basename(wanted)),
    )
    const [packed] = about.missingUnits === undefined ? [] : packages
    if (packed !== undefined) await store(packed, false)
    // The binary beside its debug file has the code.
    for (const other of others.filter(each => each !== packed).slice(0, MAX_OTHERS)) await store(other, true)
    await this.#fetchSupplement(about)
    return true
  }

  async #fromDebuginfod(id: string, name: string): Promise<AboutFile> {
    const debuginfod = this.#debuginfod!
    return await this.#options.store({ source: 'debuginfod', name, buildIds: [id] }, async target => {
      const result = await debuginfod.download(id, target)
      if (result.kind === 'missing') throw new NotThere()
      if (result.kind === 'failed') throw new Error(result.message)
    })
  }

  /** The file that `dwz` shares among the debug files of a package. The store completes the index of `about` with it. */
  async #fetchSupplement({ supplement, supplemented, source, name }: AboutFile): Promise<void> {
    if (supplement === undefined || supplemented === true) return
    const shared = `${name} (shared debug information)`
    const [path] = (await this.#inFolders()).byId.get(supplement) ?? []
    try {
      if (path !== undefined) {
        const file = { source: 'folder', name: shared, buildIds: [supplement] } as const
        await this.#options.store(file, async target => copyFile(path, target))
      } else if (source === 'debuginfod') await this.#fromDebuginfod(supplement, shared)
    } catch (error) {
      // Without it the file still has most of its names.
      if (!(error instanceof NotThere)) throw error
    }
  }

  /** The files in the folders. Looks through them again after some minutes. */
  async #inFolders(): Promise<FolderFiles> {
    const { folders, indexer } = this.#options
    if (folders.length === 0) return { byId: new Map(), paths: [] }
    if (this.#folders === undefined || this.#now() - this.#scanned > RESCAN_MS) {
      this.#scanned = this.#now()
      const scan = indexer.scan(folders).then(files => {
        const byId = new Map<string, string[]>()
        for (const { path, buildIds } of files.toSorted((a, b) => Number(isDebug(b.path)) - Number(isDebug(a.path))))
          for (const id of buildIds) byId.set(id, [...(byId.get(id) ?? []), path])
        return { byId, paths: files.map(({ path }) => path) }
      })
      this.#folders = scan
      scan.catch(() => (this.#folders = undefined))
    }
    return await this.#folders!
  }

  #remember(id: string, state: MissingState): void {
    this.#attempts.delete(id)
    this.#attempts.set(id, { state, until: this.#now() + (state.kind === 'failed' ? FAILED_MS : MISSING_MS) })
    if (this.#attempts.size > MAX_REMEMBERED) this.#attempts.delete(this.#attempts.keys().next().value!)
  }
}

class NotThere extends Error {}

interface FolderFiles {
  /** The paths of each build id, debug files first. */
  readonly byId: ReadonlyMap<string, readonly string[]>
  readonly paths: readonly string[]
}

/** The .dwo files by name. */
function splitUnitsIn(paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.filter(path => path.endsWith('.dwo')).map(path => [basename(path), path]))
}

function isDebug(path: string): boolean {
  return path.endsWith('.debug')
}

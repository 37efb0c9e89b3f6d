// Local files as profile sources. The worker reads and analyzes them, and an id of their content finds them again.
import type { CallTree, LaneKind, LayoutColumns } from '@hearth/profile'
import { keepLayout } from '@hearth/profile'
import type { FileDetails, FilePart, FileSummary, WorkerRequestName, WorkerRequests } from '../worker/messages.ts'
import { UNKNOWN_FILE } from '../worker/messages.ts'
import { attributesOfBoth } from './attributes-of-both.ts'
import { FileStore } from './file-store.ts'
import { partKey, rootKey, showsTree } from './part-key.ts'
import type {
  ComparisonSource,
  DiffRows,
  FrameName,
  HeatMapResponse,
  HeatMapChoice,
  Part,
  ProfileSource,
  SandwichTrees,
  SourceFile,
  TimelineResult,
  TimelineEvents,
  TopColumns,
  TreeResult,
  TreeOrder,
  WrittenFile,
} from './profile-source.ts'
import { WorkerError, WorkerPort } from './worker-port.ts'

/** Joins the id of a profile with those of its debug files. */
const WITH_SYMBOLS = '+'

/** The id of a profile whose native frames are named by debug files. */
export function withSymbols(file: string, symbols: readonly string[]): string {
  return [file, ...symbols].join(WITH_SYMBOLS)
}

export function withoutSymbols(file: string): string {
  return file.split(WITH_SYMBOLS, 1)[0]
}

export class LocalFiles {
  readonly #port = new WorkerPort()
  readonly #store = new FileStore()
  readonly #opened = new Map<string, Promise<FileSummary>>()

  /** Stores a file under an id of its content. `summary` reads it. */
  async add(name: string, content: Blob): Promise<string> {
    const id = await contentId(name, content)
    await this.#store.put({ id, name, content, kept: Date.now() })
    return id
  }

  /** Reads the file unless it is already open. Returns undefined if it is not stored. */
  async summary(id: string, signal: AbortSignal): Promise<FileSummary | undefined> {
    const known = this.#opened.get(id)
    if (known !== undefined) return await known
    const [file, ...symbols] = await Promise.all(id.split(WITH_SYMBOLS).map(part => this.#store.get(part)))
    if (file === undefined) return undefined
    const { name, content } = file
    // A debug file that is no longer stored leaves its frames without names.
    const kept = symbols.filter(each => each !== undefined)
    const opening = this.#port.request('open', { file: id, name, content, symbols: kept }, signal)
    this.#opened.set(id, opening)
    signal.addEventListener('abort', () => this.#stop(id), { once: true })
    try {
      return await opening
    } catch (error) {
      this.#opened.delete(id)
      throw error
    }
  }

  /** Returns undefined if the file is not stored. */
  async nameOf(id: string): Promise<string | undefined> {
    return (await this.#store.get(withoutSymbols(id)))?.name
  }

  part(part: FilePart): FileSource {
    return new FileSource(this, part)
  }

  compare(before: FilePart, after: FilePart): FileComparison {
    return new FileComparison(this, before, after)
  }

  async details(file: string, signal: AbortSignal): Promise<FileDetails> {
    return await this.request('details', { file }, [file], signal)
  }

  /** Opens the files first if the worker does not have them. */
  async request<Name extends WorkerRequestName>(
    name: Name,
    request: WorkerRequests[Name]['request'],
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<WorkerRequests[Name]['response']> {
    await this.#open(files, signal)
    try {
      return await this.#port.request(name, request, signal)
    } catch (error) {
      if (!(error instanceof WorkerError) || error.kind !== UNKNOWN_FILE) throw error
      this.#opened.clear()
      await this.#open(files, signal)
      return await this.#port.request(name, request, signal)
    }
  }

  async #open(files: readonly string[], signal: AbortSignal): Promise<void> {
    for (const file of files) {
      if ((await this.summary(file, signal)) === undefined)
        throw new WorkerError(
          'the file is no longer stored in this browser; open it again',
          'the file is no longer here',
        )
    }
  }

  /** Reading a large file cannot be interrupted, so cancelling stops the worker. */
  #stop(id: string): void {
    const opening = this.#opened.get(id)
    if (opening === undefined) return
    let isDone = false
    void opening
      .then(() => (isDone = true))
      .catch(() => {
        if (isDone) return
        this.#opened.clear()
        this.#port.stop()
      })
  }
}

class FileSource implements ProfileSource {
  readonly key: string
  readonly part: FilePart
  readonly #files: LocalFiles

  constructor(files: LocalFiles, part: FilePart) {
    this.#files = files
    this.part = part
    const frames = part.allFrames === true ? ':all-frames' : ''
    this.key = `file:${part.file}:${part.type}${partKey(part.within)}${rootKey(part.roots ?? [], part.addresses)}${frames}`
  }

  async tree(order: TreeOrder, signal: AbortSignal): Promise<TreeResult> {
    return withLayout(await this.#request('tree', { part: this.part, order }, signal))
  }

  async top(signal: AbortSignal): Promise<TopColumns> {
    return await this.#request('top', { part: this.part, byLine: false }, signal)
  }

  async lines(signal: AbortSignal): Promise<TopColumns> {
    return await this.#request('top', { part: this.part, byLine: true }, signal)
  }

  async observations(signal: AbortSignal): Promise<number | undefined> {
    return await this.#request('observations', { part: this.part }, signal)
  }

  /** A profile has no source text. */
  async sourceFile(): Promise<SourceFile> {
    return { why: '' }
  }

  async sandwich(frame: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined> {
    return await this.#request('sandwich', { part: this.part, frame }, signal)
  }

  async timeline(thread: string, signal: AbortSignal): Promise<TimelineResult> {
    return withLayout(await this.#request('timeline', { part: this.part, thread }, signal))
  }

  async events(lanes: LaneKind, signal: AbortSignal): Promise<TimelineEvents> {
    return await this.#request('events', { part: this.part, lanes }, signal)
  }

  async heatMap(choice: HeatMapChoice, signal: AbortSignal): Promise<HeatMapResponse> {
    return await this.#request('heatMap', { part: this.part, choice }, signal)
  }

  async write(format: string, signal: AbortSignal): Promise<WrittenFile> {
    const part = showsTree(format) ? this.part : { ...this.part, roots: [] }
    return await this.#request('write', { part, format }, signal)
  }

  within(within: Part): FileSource {
    return new FileSource(this.#files, { ...this.part, within })
  }

  rooted(roots: readonly string[], addresses = false): FileSource {
    return new FileSource(this.#files, { ...this.part, roots, addresses })
  }

  async attributes(signal: AbortSignal): Promise<readonly string[]> {
    return await this.#request('attributes', { part: this.part }, signal)
  }

  ofType(type: string): FileSource {
    return new FileSource(this.#files, { ...this.part, type })
  }

  compare(before: Part, after: Part): FileComparison {
    return new FileComparison(this.#files, { ...this.part, within: before }, { ...this.part, within: after })
  }

  async #request<Name extends WorkerRequestName>(
    name: Name,
    request: WorkerRequests[Name]['request'],
    signal: AbortSignal,
  ): Promise<WorkerRequests[Name]['response']> {
    return await this.#files.request(name, request, [this.part.file], signal)
  }
}

class FileComparison implements ComparisonSource {
  readonly key: string
  readonly before: FileSource
  readonly after: FileSource
  readonly #files: LocalFiles

  constructor(files: LocalFiles, before: FilePart, after: FilePart) {
    this.#files = files
    this.before = new FileSource(files, before)
    this.after = new FileSource(files, after)
    this.key = `${this.before.key}|${this.after.key}`
  }

  get versions(): { readonly before: FileSource; readonly after: FileSource } {
    return { before: this.before, after: this.after }
  }

  async tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeResult> {
    return withLayout(await this.#files.request('diff', { ...this.#sides(), order, absolute }, this.#both(), signal))
  }

  async rows(signal: AbortSignal): Promise<DiffRows> {
    return await this.#files.request('diffRows', this.#sides(), this.#both(), signal)
  }

  rooted(roots: readonly string[], addresses = false): FileComparison {
    const more = { roots, addresses }
    return new FileComparison(this.#files, { ...this.before.part, ...more }, { ...this.after.part, ...more })
  }

  async attributes(signal: AbortSignal): Promise<readonly string[]> {
    return await attributesOfBoth(this, signal)
  }

  #sides(): { readonly before: FilePart; readonly after: FilePart } {
    return { before: this.before.part, after: this.after.part }
  }

  #both(): readonly string[] {
    return [this.before.part.file, this.after.part.file]
  }
}

function withLayout<Result extends { readonly tree: CallTree; readonly layout?: LayoutColumns }>(
  result: Result,
): Result {
  if (result.layout !== undefined) keepLayout(result.tree, result.layout)
  return result
}

const SAMPLED = 65_536

/** 64 bits over name, length and both ends, which distinguishes the files of one user at any size. */
async function contentId(name: string, content: Blob): Promise<string> {
  let a = 0x811c9dc5
  let b = 0x1b873593
  const mix = (value: number): void => {
    a = Math.imul(a ^ value, 0x01000193)
    b = Math.imul(b ^ value, 0x85ebca6b) ^ (b >>> 13)
  }
  for (let i = 0; i < name.length; i++) mix(name.charCodeAt(i))
  mix(content.size)
  for (const part of [content.slice(0, SAMPLED), content.slice(-SAMPLED)]) {
    for (const byte of new Uint8Array(await part.arrayBuffer())) mix(byte)
  }
  const half = (value: number): string => (value >>> 0).toString(16).padStart(8, '0')
  return half(a) + half(b)
}

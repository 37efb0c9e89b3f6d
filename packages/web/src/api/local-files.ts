// Files on this machine as sources of views: read and analyzed by the worker, found again by their id.
import type { CallTree, LayoutColumns } from '@hearth/profile'
import { keepLayout } from '@hearth/profile'
import type { FileDetails, FilePart, FileSummary, QuestionName, Questions } from '../worker/messages.ts'
import { UNKNOWN_FILE } from '../worker/messages.ts'
import { attributesOfBoth } from './attributes-of-both.ts'
import { FileShelf } from './file-shelf.ts'
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
  TimelineAnswer,
  TimelineEvents,
  TopColumns,
  TreeAnswer,
  TreeOrder,
  WrittenFile,
} from './profile-source.ts'
import { WorkerError, WorkerPort } from './worker-port.ts'

export class LocalFiles {
  readonly #port = new WorkerPort()
  readonly #shelf = new FileShelf()
  readonly #opened = new Map<string, Promise<FileSummary>>()

  /** Keeps a file under an id of its content; reading it is `summary`. */
  async add(name: string, content: Blob): Promise<string> {
    const id = await contentId(name, content)
    await this.#shelf.put({ id, name, content, kept: Date.now() })
    return id
  }

  /** Reads the file unless that was done; undefined where it is not kept here. */
  async summary(id: string, signal: AbortSignal): Promise<FileSummary | undefined> {
    const known = this.#opened.get(id)
    if (known !== undefined) return await known
    const file = await this.#shelf.get(id)
    if (file === undefined) return undefined
    const opening = this.#port.ask('open', { file: id, name: file.name, content: file.content }, signal)
    this.#opened.set(id, opening)
    signal.addEventListener('abort', () => this.#stop(id), { once: true })
    try {
      return await opening
    } catch (error) {
      this.#opened.delete(id)
      throw error
    }
  }

  /** Undefined where it is not kept here. */
  async nameOf(id: string): Promise<string | undefined> {
    return (await this.#shelf.get(id))?.name
  }

  part(file: string, type: string): FileSource {
    return new FileSource(this, { file, type })
  }

  compare(before: FilePart, after: FilePart): FileComparison {
    return new FileComparison(this, before, after)
  }

  async details(file: string, signal: AbortSignal): Promise<FileDetails> {
    return await this.ask('details', { file }, [file], signal)
  }

  /** Opens the files first where the worker does not have them. */
  async ask<Name extends QuestionName>(
    name: Name,
    asks: Questions[Name]['asks'],
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<Questions[Name]['answer']> {
    await this.#open(files, signal)
    try {
      return await this.#port.ask(name, asks, signal)
    } catch (error) {
      if (!(error instanceof WorkerError) || error.kind !== UNKNOWN_FILE) throw error
      this.#opened.clear()
      await this.#open(files, signal)
      return await this.#port.ask(name, asks, signal)
    }
  }

  async #open(files: readonly string[], signal: AbortSignal): Promise<void> {
    for (const file of files) {
      if ((await this.summary(file, signal)) === undefined) throw new WorkerError('Error', 'the file is no longer here')
    }
  }

  /** Reading a large file is one long piece of work: only ending the worker ends it. */
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

export class FileSource implements ProfileSource {
  readonly key: string
  readonly part: FilePart
  readonly #files: LocalFiles

  constructor(files: LocalFiles, part: FilePart) {
    this.#files = files
    this.part = part
    this.key = `file:${part.file}:${part.type}${partKey(part.within)}${rootKey(part.roots ?? [])}`
  }

  async tree(order: TreeOrder, signal: AbortSignal): Promise<TreeAnswer> {
    return withLayout(await this.#ask('tree', { part: this.part, order }, signal))
  }

  async top(signal: AbortSignal): Promise<TopColumns> {
    return await this.#ask('top', { part: this.part, byLine: false }, signal)
  }

  async lines(signal: AbortSignal): Promise<TopColumns> {
    return await this.#ask('top', { part: this.part, byLine: true }, signal)
  }

  async sandwich(frame: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined> {
    return await this.#ask('sandwich', { part: this.part, frame }, signal)
  }

  async timeline(thread: string, signal: AbortSignal): Promise<TimelineAnswer> {
    return withLayout(await this.#ask('timeline', { part: this.part, thread }, signal))
  }

  async events(signal: AbortSignal): Promise<TimelineEvents> {
    return await this.#ask('events', { part: this.part }, signal)
  }

  async heatMap(choice: HeatMapChoice, signal: AbortSignal): Promise<HeatMapResponse> {
    return await this.#ask('heatMap', { part: this.part, choice }, signal)
  }

  async write(format: string, signal: AbortSignal): Promise<WrittenFile> {
    const part = showsTree(format) ? this.part : { ...this.part, roots: [] }
    return await this.#ask('write', { part, format }, signal)
  }

  within(within: Part): FileSource {
    return new FileSource(this.#files, { ...this.part, within })
  }

  rooted(roots: readonly string[]): FileSource {
    return new FileSource(this.#files, { ...this.part, roots })
  }

  async attributes(signal: AbortSignal): Promise<readonly string[]> {
    return await this.#ask('attributes', { part: this.part }, signal)
  }

  ofType(type: string): FileSource {
    return new FileSource(this.#files, { ...this.part, type })
  }

  compare(before: Part, after: Part): FileComparison {
    return new FileComparison(this.#files, { ...this.part, within: before }, { ...this.part, within: after })
  }

  async #ask<Name extends QuestionName>(
    name: Name,
    asks: Questions[Name]['asks'],
    signal: AbortSignal,
  ): Promise<Questions[Name]['answer']> {
    return await this.#files.ask(name, asks, [this.part.file], signal)
  }
}

export class FileComparison implements ComparisonSource {
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

  async tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeAnswer> {
    return withLayout(await this.#files.ask('diff', { ...this.#sides(), order, absolute }, this.#both(), signal))
  }

  async rows(signal: AbortSignal): Promise<DiffRows> {
    return await this.#files.ask('diffRows', this.#sides(), this.#both(), signal)
  }

  rooted(roots: readonly string[]): FileComparison {
    return new FileComparison(this.#files, { ...this.before.part, roots }, { ...this.after.part, roots })
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

function withLayout<Answer extends { readonly tree: CallTree; readonly layout?: LayoutColumns }>(
  answer: Answer,
): Answer {
  if (answer.layout !== undefined) keepLayout(answer.tree, answer.layout)
  return answer
}

const SAMPLED = 65_536

/** 64 bits over name, length, and both ends: enough to tell the files of one person apart, whatever their size. */
export async function contentId(name: string, content: Blob): Promise<string> {
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

// Runs tasks on untrusted files, one at a time, each in a thread of its own. The thread ends with the task, so that its memory is
// free again, and a task that takes too long is ended with its thread.
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { IndexTask, IndexedFile } from './index-file.ts'
import type { FolderFile } from './origins/scan-folders.ts'
import { DebugFileError } from './debug-file-error.ts'

export type SymbolsTask =
  | ({ readonly kind: 'index' } & IndexTask)
  | { readonly kind: 'scan'; readonly folders: readonly string[] }

export type TaskOutcome =
  | { readonly kind: 'indexed'; readonly indexed: IndexedFile }
  | { readonly kind: 'scanned'; readonly files: readonly FolderFile[] }
  | { readonly kind: 'broken'; readonly message: string }

export interface IndexerOptions {
  /** The file that runs the tasks. */
  readonly entry: URL
  /** The limit for one file; 2 minutes unless given. A file of 100 MB takes about 3 seconds. */
  readonly timeoutMs?: number
  /** Limit of the thread's JavaScript heap; 256 MiB and four times the file unless given, up to 2 GiB. */
  readonly heapMiB?: number
}

const DEFAULT_TIMEOUT_MS = 120_000
const MIN_HEAP_MIB = 256
const MAX_HEAP_MIB = 2048
const HEAP_PER_FILE = 4
/** Limit of the new objects. With 64 MiB, the default, a file of 104 MB takes 60 MB more memory and a tenth less time. */
const YOUNG_HEAP_MIB = 12
const SCAN_TIMEOUT_MS = 3_600_000

export class Indexer {
  readonly #options: IndexerOptions
  #last: Promise<unknown> = Promise.resolve()
  #worker: Worker | undefined
  #closed = false

  constructor(options: IndexerOptions) {
    this.#options = options
  }

  /** Throws DebugFileError. */
  async index(task: IndexTask): Promise<IndexedFile> {
    const outcome = await this.#queued({ kind: 'index', ...task })
    if (outcome.kind === 'broken') throw new DebugFileError('broken', outcome.message)
    if (outcome.kind !== 'indexed') throw new Error(`an indexing thread returned ${outcome.kind}`)
    return outcome.indexed
  }

  /** The binaries and debug files below the folders. */
  async scan(folders: readonly string[]): Promise<readonly FolderFile[]> {
    const outcome = await this.#queued({ kind: 'scan', folders })
    return outcome.kind === 'scanned' ? outcome.files : []
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#worker?.terminate()
  }

  #queued(task: SymbolsTask): Promise<TaskOutcome> {
    const turn = this.#last.then(() => this.#run(task))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  #run(task: SymbolsTask): Promise<TaskOutcome> {
    if (this.#closed) return Promise.reject(new DebugFileError('closed', 'the server is shutting down'))
    const { entry, heapMiB = task.kind === 'scan' ? MAX_HEAP_MIB : heapFor(task.file) } = this.#options
    const timeoutMs = task.kind === 'scan' ? SCAN_TIMEOUT_MS : (this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    return new Promise((resolve, reject) => {
      const resourceLimits = { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: YOUNG_HEAP_MIB }
      const worker = new Worker(entry, { workerData: task, resourceLimits })
      this.#worker = worker
      let slow = false
      const timer = setTimeout(() => {
        slow = true
        void worker.terminate()
      }, timeoutMs)
      worker.once('message', resolve)
      worker.once('error', error => reject(failureOf(error)))
      worker.once('exit', () => {
        clearTimeout(timer)
        this.#worker = undefined
        // No effect if the thread has sent its outcome before.
        reject(
          slow
            ? new DebugFileError('too-slow', `the file was not indexed within ${timeoutMs / 1000} s`)
            : new DebugFileError('closed', 'the indexing thread was stopped'),
        )
      })
    })
  }
}

/** The limit makes the garbage collector run more often. Typed arrays do not count: the size of the file bounds them. */
function heapFor(file: string): number {
  const wanted = MIN_HEAP_MIB + (HEAP_PER_FILE * statSync(file).size) / 2 ** 20
  return Math.min(MAX_HEAP_MIB, Math.ceil(wanted))
}

function failureOf(error: Error & { readonly code?: string }): Error {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new DebugFileError('too-large', 'the file needs too much memory to index', { cause: error })
    : error
}

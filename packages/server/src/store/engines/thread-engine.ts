// The engine for queries in worker threads. The main thread runs the statements, because the embedded engine works in one thread
// only, and sends the bytes of the rows. The worker thread reads blocks from them.
import type { Channel } from '../../workers/channel.ts'
import { Transferred } from '../../workers/channel.ts'
import { owned } from '../../workers/owned.ts'
import type { Engine, ReadEngine, SelectOptions } from '../engine.ts'
import { EngineError } from '../engine.ts'
import type { Block } from '../native/block.ts'
import { BlockReader, mergeBlocks } from '../native/block.ts'
import { NativeFormatError } from '../native/byte-cursor.ts'
import { allTables } from '../schema/all-tables.ts'
import { engineErrorOf, messageIn } from './engine-fault.ts'

interface Statement {
  readonly sql: string
  readonly options: Omit<SelectOptions, 'signal'>
}

export type EngineHandlers = ReturnType<typeof engineHandlers>

/** The functions of the main thread that a ThreadEngine calls. */
export function engineHandlers(engine: Engine) {
  return {
    select: async ({ sql, options }: Statement, signal: AbortSignal) => {
      const pieces: Uint8Array<ArrayBuffer>[] = []
      for await (const piece of engine.selectBytes(sql, { ...options, signal, streamed: false }))
        pieces.push(owned(piece))
      return new Transferred(
        pieces,
        pieces.map(({ buffer }) => buffer),
      )
    },
    contain: async ({ sql, message }: { readonly sql: string; readonly message: string }) =>
      (await engine.contain?.(sql, message)) ?? false,
    async *selectPieces({ sql, options }: Statement, signal: AbortSignal) {
      for await (const piece of engine.selectBytes(sql, { ...options, signal, streamed: true })) {
        const bytes = owned(piece)
        yield new Transferred(bytes, [bytes.buffer])
      }
    },
  }
}

/** The engine's counters of changes in shared memory, so that threads read them without a call. */
export class SharedChanges {
  readonly #counters: Int32Array

  /** `memory` is the memory of another SharedChanges. */
  constructor(memory = new SharedArrayBuffer(4 * allTables.length)) {
    this.#counters = new Int32Array(memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#counters.buffer as SharedArrayBuffer
  }

  update(changes: (table: string) => number): void {
    for (const [i, { name }] of allTables.entries()) Atomics.store(this.#counters, i, changes(name))
  }

  of(table: string): number {
    return Atomics.load(this.#counters, PLACES.get(table)!)
  }
}

const PLACES: ReadonlyMap<string, number> = new Map(allTables.map(({ name }, i) => [name, i]))

export class ThreadEngine implements ReadEngine {
  readonly #main: Channel<EngineHandlers>
  readonly changes?: (table: string) => number

  /** `changes` is undefined if the engine does not report changes. */
  constructor(main: Channel<EngineHandlers>, changes: SharedChanges | undefined) {
    this.#main = main
    if (changes !== undefined) this.changes = table => changes.of(table)
  }

  async select(sql: string, { signal, ...options }: SelectOptions = {}): Promise<Block> {
    const pieces = await this.#main.call('select', { sql, options }, { signal })
    const reader = new BlockReader()
    try {
      return mergeBlocks([...pieces.flatMap(piece => reader.push(piece)), ...reader.end()])
    } catch (error) {
      throw lateError(error, reader)
    }
  }

  async *selectBlocks(sql: string, { signal, ...options }: SelectOptions = {}): AsyncGenerator<Block> {
    const reader = new BlockReader()
    try {
      for await (const piece of this.#main.stream('selectPieces', { sql, options }, { signal }))
        yield* reader.push(piece)
      yield* reader.end()
    } catch (error) {
      throw await this.#contained(lateError(error, reader), sql)
    }
  }

  /** A ClickHouse server can report damage after the first rows, where the main thread does not see it. */
  async #contained(error: unknown, sql: string): Promise<unknown> {
    if (!(error instanceof EngineError) || error.fault !== 'corrupt') return error
    const { code, message } = error
    if (!(await this.#main.call('contain', { sql, message }, {}))) return error
    return new EngineError('contained', code, `${message} (detached)`, { cause: error })
  }
}

/** The engine's own error, if it ended the rows with one. */
function lateError(error: unknown, reader: BlockReader): unknown {
  const message = error instanceof NativeFormatError ? messageIn(reader.rest) : ''
  return message === '' ? error : engineErrorOf(new Error(message), 'query')
}

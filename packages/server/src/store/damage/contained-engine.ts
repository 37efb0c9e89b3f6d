// An engine whose queries survive damaged data: the damaged part is detached, and the statement is repeated without it.
import type { BytesOptions, Engine, InsertOptions, NativeSource, SelectOptions } from '../engine.ts'
import { EngineError } from '../engine.ts'
import type { Block } from '../native/block.ts'
import { messageOf } from '../../files/file-disk.ts'
import type { DamagedParts } from './damaged-parts.ts'

/** Every attempt detaches at least one part. */
const MAX_ATTEMPTS = 1000

export class ContainedEngine implements Engine {
  readonly #engine: Engine
  readonly #damaged: DamagedParts
  /** Undefined if the engine does not report changes: others may write to a ClickHouse server. */
  readonly changes?: (table: string) => number

  constructor(engine: Engine, damaged: DamagedParts) {
    this.#engine = engine
    this.#damaged = damaged
    if (engine.changes !== undefined) this.changes = engine.changes.bind(engine)
  }

  get kind(): Engine['kind'] {
    return this.#engine.kind
  }

  async select(sql: string, options?: SelectOptions): Promise<Block> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#engine.select(sql, options)
      } catch (error) {
        await this.#contain(error, sql, attempt)
      }
    }
  }

  selectBlocks(sql: string, options?: SelectOptions): AsyncIterable<Block> {
    return this.#repeated(sql, () => this.#engine.selectBlocks(sql, options))
  }

  selectBytes(sql: string, options: BytesOptions): AsyncIterable<Uint8Array> {
    return this.#repeated(sql, () => this.#engine.selectBytes(sql, options))
  }

  insert(table: string, source: NativeSource, options: InsertOptions): Promise<void> {
    return this.#engine.insert(table, source, options)
  }

  command(sql: string): Promise<void> {
    return this.#engine.command(sql)
  }

  contain(sql: string, message: string): Promise<boolean> {
    return this.#damaged.contain(sql, message)
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  /** After the first item a repetition would return rows twice. Then the caller has to repeat the query. */
  async *#repeated<Item>(sql: string, start: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    for (let attempt = 1; ; attempt++) {
      let items = 0
      try {
        for await (const item of start()) {
          items++
          yield item
        }
        return
      } catch (error) {
        await this.#contain(error, sql, attempt)
        if (items > 0)
          throw new EngineError('contained', (error as EngineError).code, `${messageOf(error)} (detached)`, {
            cause: error,
          })
      }
    }
  }

  /** Throws the error unless a repetition reads other data. */
  async #contain(error: unknown, sql: string, attempt: number): Promise<void> {
    if (!(error instanceof EngineError) || error.fault !== 'corrupt' || attempt >= MAX_ATTEMPTS) throw error
    if (!(await this.#damaged.contain(sql, error.message))) throw error
  }
}

// An engine that records the bytes of every insert, once per token, with failures on demand.
import { readFile } from 'node:fs/promises'
import type { Engine, InsertOptions, NativeSource } from '../../engine.ts'
import { EngineError } from '../../engine.ts'
import type { Block } from '../../native/block.ts'
import type { ColumnValues } from '../../native/column-values.ts'
import { namesIn } from './rows.ts'

export interface FakeInsert {
  readonly table: string
  readonly token: string
  readonly sync: boolean
  /** Names written with rowsOf. */
  readonly names: readonly string[]
}

export class FakeEngine implements Engine {
  readonly kind = 'embedded'
  readonly inserts: FakeInsert[] = []
  readonly tokens = new Set<string>()
  /** Called before each insert takes effect. May throw to fail it, or never resolve to block it. */
  before: (table: string, file: string) => void | Promise<void> = () => {}
  /** Called after the insert took effect. */
  after: (table: string) => void | Promise<void> = () => {}
  attempts = 0
  /** Items with this name are rejected. */
  refuses: string | undefined
  recent: { tenant: string; id: Uint8Array; received: number }[] = []
  selectFailure: Error | undefined

  async insert(table: string, source: NativeSource, options: InsertOptions): Promise<void> {
    const all = await Promise.all([source.file, ...(source.more ?? [])].map(file => readFile(file)))
    this.attempts++
    await this.before(table, source.file)
    const names = all.flatMap(namesIn)
    if (table === 'items' && names.some(name => name === this.refuses))
      throw new EngineError('refused', 0, `no ${this.refuses}`)
    // Like the engine: the same token with another number of blocks is another insert.
    const key = `${options.token} ${all.length}`
    if (!this.tokens.has(key)) {
      this.tokens.add(key)
      this.inserts.push({ table, token: options.token, sync: options.sync ?? false, names })
    }
    await this.after(table)
  }

  /** All names in a table, in order. */
  names(table: string): readonly string[] {
    return this.inserts.filter(insert => insert.table === table).flatMap(insert => insert.names)
  }

  async select(sql: string): Promise<Block> {
    if (this.selectFailure !== undefined) throw this.selectFailure
    const rows = sql.includes('FROM journals') ? [] : this.recent
    const columns: Readonly<Record<string, Partial<ColumnValues>>> = {
      tenant_name: { text: row => rows[row].tenant },
      id: { bytes: row => rows[row].id },
      nanoseconds: { bigint: row => BigInt(rows[row].received) * 1_000_000n },
    }
    return { rows: rows.length, names: Object.keys(columns), column: name => columns[name] as ColumnValues }
  }

  // oxlint-disable-next-line require-yield
  async *selectBlocks(): AsyncIterable<Block> {
    throw new Error('not implemented')
  }

  // oxlint-disable-next-line require-yield
  async *selectBytes(): AsyncIterable<Uint8Array> {
    throw new Error('not implemented')
  }

  async command(): Promise<void> {}
  async close(): Promise<void> {}
}

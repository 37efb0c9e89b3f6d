// Whether a table's inserts reach the disk before they are done. ClickHouse has this as settings of the table, not of the
// insert, so the first insert of each kind makes the table so.
import type { Engine } from '../engine.ts'
import { quoteName } from '../sql-text.ts'

export class TableDurability {
  readonly #engine: Engine
  /** What follows the table's name in ALTER: nothing, or ON CLUSTER. */
  readonly #onCluster: string
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(engine: Engine, onCluster: string) {
    this.#engine = engine
    this.#onCluster = onCluster
  }

  /** `storedAs` is the table that holds the rows, where `table` only sends them on. */
  async ensure(table: string, sync: boolean, storedAs = table): Promise<void> {
    const known = this.#known.get(storedAs)
    if (known !== undefined && (await known.catch(() => undefined)) === sync) return
    const made = this.#make(storedAs, sync)
    this.#known.set(storedAs, made)
    try {
      await made
    } catch (error) {
      this.#known.delete(storedAs)
      throw error
    }
  }

  async #make(table: string, sync: boolean): Promise<boolean> {
    const found = await this.#engine.select(
      "SELECT engine_full LIKE '%fsync_after_insert = 1%' AND engine_full LIKE '%fsync_part_directory = 1%' AS on " +
        "FROM system.tables WHERE database = currentDatabase() AND name = {table:String} AND engine LIKE '%MergeTree'",
      { parameters: { table } },
    )
    // A table of another kind, or none: the insert will tell.
    if (found.rows === 0) return sync
    if ((found.column('on').number(0) === 1) !== sync) {
      const value = sync ? 1 : 0
      await this.#engine.command(
        `ALTER TABLE ${quoteName(table)}${this.#onCluster} ` +
          `MODIFY SETTING fsync_after_insert = ${value}, fsync_part_directory = ${value}`,
      )
    }
    return sync
  }
}

// Sets whether inserts into a table are on disk before they return. In ClickHouse this is a setting of the table, not of the
// insert, so the first insert of each kind changes the table.
import type { Engine } from '../engine.ts'
import { quoteName } from '../sql-text.ts'

export class TableDurability {
  readonly #engine: Engine
  /** The part after the table's name in ALTER: empty, or ON CLUSTER. */
  readonly #onCluster: string
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(engine: Engine, onCluster: string) {
    this.#engine = engine
    this.#onCluster = onCluster
  }

  /** `storedAs` is the table that holds the rows, if `table` is a Distributed table. */
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
    // Not a MergeTree table, or missing. The insert reports it.
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

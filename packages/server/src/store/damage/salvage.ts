// Recovers the intact rows of a damaged part. The part is attached to a table of its own, read range by range, and the rows
// that can be read are inserted into the original table. Damage usually concerns one block of compressed data, so that all
// other rows are recovered.
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Engine } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { quoteName, quoteText } from '../sql-text.ts'
import type { DamagedPart } from './damaged-parts.ts'

export interface Salvaged {
  readonly table: string
  readonly part: string
  readonly recovered: number
  readonly lost: number
  /** The directory that has the damaged part now. */
  readonly kept: string
  /** The reason why no row could be read. Empty if some could. */
  readonly reason: string
}

/** Ranges of this many rows are not divided any further. */
const MIN_ROWS = 16
const MAX_ROWS = 65_536

/** Moves the part to `quarantine`. A repetition after a crash inserts no row twice, because the tokens are the same. */
export async function salvage(engine: Engine, damaged: DamagedPart, quarantine: string): Promise<Salvaged> {
  const { table, part } = damaged
  const temporary = `salvage_${table}`
  const result = { recovered: 0, lost: 0, reason: '' }
  await engine.command(`DROP TABLE IF EXISTS ${quoteName(temporary)}`)
  await engine.command(`CREATE TABLE ${quoteName(temporary)} AS ${quoteName(table)}`)
  try {
    const rows = await attach(engine, temporary, damaged)
    for (let from = 0; from < rows; from += MAX_ROWS)
      await copyRange({ engine, damaged, temporary, result }, from, Math.min(rows, from + MAX_ROWS))
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    result.reason = error.message
    result.lost = await rowsIn(damaged)
  } finally {
    await engine.command(`DROP TABLE IF EXISTS ${quoteName(temporary)} SYNC`)
  }
  const kept = join(quarantine, `${table}-${part}`)
  await mkdir(quarantine, { recursive: true })
  await rm(kept, { recursive: true, force: true })
  await rename(damaged.path, kept)
  return { table, part, ...result, kept }
}

interface Copying {
  readonly engine: Engine
  readonly damaged: DamagedPart
  readonly temporary: string
  readonly result: { recovered: number; lost: number }
}

/** Divides a range that cannot be read. */
async function copyRange(copying: Copying, from: number, to: number): Promise<void> {
  const { engine, damaged, temporary, result } = copying
  const range = `_part_offset >= ${from} AND _part_offset < ${to}`
  const token = `salvage-${damaged.table}-${damaged.part}-${from}-${to}`
  try {
    await engine.command(
      `INSERT INTO ${quoteName(damaged.table)} SELECT * FROM ${quoteName(temporary)} WHERE ${range} ` +
        `SETTINGS insert_deduplicate = 1, insert_deduplication_token = ${quoteText(token)}, max_threads = 1, ` +
        'max_partitions_per_insert_block = 0, min_insert_block_size_rows = 1000000, min_insert_block_size_bytes = 1000000000',
    )
    result.recovered += to - from
  } catch (error) {
    if (!(error instanceof EngineError) || error.fault === 'unavailable' || error.fault === 'disk-full') throw error
    if (to - from <= MIN_ROWS) {
      result.lost += to - from
      return
    }
    const middle = from + Math.floor((to - from) / 2)
    await copyRange(copying, from, middle)
    await copyRange(copying, middle, to)
  }
}

/** Returns the number of rows. */
async function attach(engine: Engine, temporary: string, { path, part }: DamagedPart): Promise<number> {
  const paths = await engine.select(
    'SELECT data_paths[1] AS path FROM system.tables WHERE database = currentDatabase() AND name = {name:String}',
    { parameters: { name: temporary } },
  )
  const target = join(paths.column('path').text(0), 'detached', part)
  await mkdir(dirname(target), { recursive: true })
  await cp(path, target, { recursive: true })
  await engine.command(`ALTER TABLE ${quoteName(temporary)} ATTACH PART ${quoteText(part)}`)
  const count = await engine.select(
    'SELECT sum(rows) AS n FROM system.parts WHERE database = currentDatabase() AND active AND table = {name:String}',
    { parameters: { name: temporary } },
  )
  return Number(count.column('n').bigint(0))
}

/** count.txt has the number of rows. Returns 0 if it is damaged, too. */
async function rowsIn({ path }: DamagedPart): Promise<number> {
  const text = await readFile(join(path, 'count.txt'), 'utf8').catch(() => '')
  return /^\d+$/.test(text.trim()) ? Number(text) : 0
}

// Divides the rows of a store into chunks: rows of one table, tenant and day within a range. A chunk is the unit of backups and
// copies, and its insert is atomic. The chunks of a day tile all times before the cut:
//   received   0 ├──── chunk ────┤├── chunk ──┤├─ new ─┤ cut      the next backup keeps chunks that have not changed
// Symbols are divided in the same way, by the day on which they were seen last and by ranges of ids.
import type { Engine } from '../../store/engine.ts'
import type { TableDefinition } from '../../store/native/table.ts'
import { readBlocks } from '../../store/native/block.ts'
import { allTables, datedTables } from '../../store/schema/all-tables.ts'
import { quoteName, quoteText } from '../../store/sql-text.ts'

export interface ChunkRange {
  readonly table: string
  readonly tenant: string
  /** Days since 1970: of receipt, or on which a symbol was seen last. */
  readonly day: number
  /** Nanoseconds of receipt, or ids of symbols. Both are included. */
  readonly from: string
  readonly to: string
}

export interface Chunk extends ChunkRange {
  readonly rows: number
  /** A sum over the identities of the rows. Changes if rows disappear or arrive. */
  readonly check: string
}

/** Approximate size of a chunk before compression. */
const CHUNK_BYTES = 32 * 2 ** 20
const MIN_CHUNK_ROWS = 1000
const MAX_CHUNK_ROWS = 1_000_000
/** Backups in short intervals leave many small chunks. Above this number they are written again as few. */
const MAX_CHUNKS_A_DAY = 24
const MAX_ID = 2n ** 64n - 1n

export function tableOf(name: string): TableDefinition {
  const table = allTables.find(each => each.name === name)
  if (table === undefined) throw new RangeError(`unknown table ${JSON.stringify(name)}`)
  return table
}

function isDated(table: string): boolean {
  return datedTables.some(({ name }) => name === table)
}

/** Equal symbols that are not merged yet count once. */
function source(table: string): string {
  return `${quoteName(table)}${isDated(table) ? '' : ' FINAL'}`
}

const dayColumn = (table: string): string => (isDated(table) ? 'day' : 'last_seen')
const placeSql = (table: string): string => (isDated(table) ? 'toUnixTimestamp64Nano(received)' : 'id')
const numberSql = (table: string, value: bigint | string): string =>
  `${isDated(table) ? 'toInt64' : 'toUInt64'}('${value}')`
const identitySql = (table: string): string =>
  isDated(table) ? 'cityHash64(request, received)' : 'cityHash64(id, check)'

function daySql({ table, tenant, day }: Pick<ChunkRange, 'table' | 'tenant' | 'day'>): string {
  return `tenant = ${quoteText(tenant)} AND ${dayColumn(table)} = toDate(${day})`
}

function rangeSql({ table, from, to }: Pick<ChunkRange, 'table' | 'from' | 'to'>): string {
  return `${placeSql(table)} >= ${numberSql(table, from)} AND ${placeSql(table)} <= ${numberSql(table, to)}`
}

/** The chunks of everything received before the cut (nanoseconds). Chunks of an earlier list that have not changed are in it. */
export async function planChunks(engine: Engine, cut: bigint, known: readonly Chunk[] = []): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = []
  const byDay = new Map<string, Chunk[]>()
  for (const chunk of known) {
    const key = dayKey(chunk)
    byDay.set(key, [...(byDay.get(key) ?? []), chunk])
  }
  for (const { name: table } of allTables) {
    const limit = await rowsPerChunk(engine, table)
    const end = isDated(table) ? cut - 1n : MAX_ID
    const before = isDated(table) ? `WHERE ${placeSql(table)} <= ${numberSql(table, end)} ` : ''
    const days = await engine.select(
      `SELECT CAST(tenant, 'String') AS name, toUInt16(${dayColumn(table)}) AS day, count() AS n ` +
        `FROM ${source(table)} ${before}GROUP BY name, day ORDER BY day, name`,
    )
    for (let row = 0; row < days.rows; row++) {
      const place = { table, tenant: days.column('name').text(row), day: days.column('day').number(row) }
      const rows = Number(days.column('n').bigint(row))
      const old = byDay.get(dayKey(place)) ?? []
      const isScattered = old.length > MAX_CHUNKS_A_DAY && old.length > (4 * rows) / limit
      chunks.push(...(await planDay(engine, { place, end, limit, known: isScattered ? [] : old })))
    }
  }
  return chunks
}

function dayKey({ table, tenant, day }: Pick<ChunkRange, 'table' | 'tenant' | 'day'>): string {
  return `${table} ${tenant} ${day}`
}

interface DayPlan {
  readonly place: Pick<ChunkRange, 'table' | 'tenant' | 'day'>
  readonly end: bigint
  readonly limit: number
  readonly known: readonly Chunk[]
}

async function planDay(engine: Engine, { place, end, limit, known }: DayPlan): Promise<readonly Chunk[]> {
  const tiles = tilesOf(known, end).map(tile => ({ ...place, ...tile }))
  const chunks: Chunk[] = []
  for (const chunk of await measure(engine, tiles)) {
    const same = known.find(
      ({ from, to, rows, check }) =>
        from === chunk.from && to === chunk.to && rows === chunk.rows && check === chunk.check,
    )
    if (same !== undefined) chunks.push(same)
    else if (chunk.rows > limit) chunks.push(...(await divided(engine, chunk, limit)))
    else if (chunk.rows > 0) chunks.push(chunk)
  }
  return chunks
}

/** The known ranges and the gaps between them, up to the end. */
function tilesOf(known: readonly Chunk[], end: bigint): readonly Pick<ChunkRange, 'from' | 'to'>[] {
  const tiles: Pick<ChunkRange, 'from' | 'to'>[] = []
  let next = 0n
  for (const { from, to } of known.toSorted((a, b) => (BigInt(a.from) < BigInt(b.from) ? -1 : 1))) {
    if (BigInt(from) > next) tiles.push({ from: String(next), to: String(BigInt(from) - 1n) })
    tiles.push({ from, to })
    next = BigInt(to) + 1n
  }
  if (next <= end) tiles.push({ from: String(next), to: String(end) })
  return tiles
}

/** Counts the rows of ranges of one table, tenant and day. */
async function measure(engine: Engine, ranges: readonly ChunkRange[]): Promise<readonly Chunk[]> {
  if (ranges.length === 0) return []
  const [{ table }] = ranges
  const counts = ranges.map(
    (range, i) => `countIf(${rangeSql(range)}) AS n${i}, sumIf(${identitySql(table)}, ${rangeSql(range)}) AS c${i}`,
  )
  const block = await engine.select(`SELECT ${counts.join(', ')} FROM ${source(table)} WHERE ${daySql(ranges[0])}`)
  return ranges.map((range, i) => ({
    ...range,
    rows: Number(block.column(`n${i}`).bigint(0)),
    check: String(block.column(`c${i}`).bigint(0)),
  }))
}

/** Counts the rows of a chunk in another store. */
export async function measureChunk(engine: Engine, range: ChunkRange): Promise<Chunk> {
  return (await measure(engine, [range]))[0]
}

/** Divides a range by seconds, or by equal ranges of ids, which are hashes. */
async function divided(engine: Engine, range: Chunk, limit: number): Promise<readonly Chunk[]> {
  const pieces = isDated(range.table) ? await bySeconds(engine, range, limit) : byIds(range, limit)
  return (await measure(engine, pieces)).filter(({ rows }) => rows > 0)
}

async function bySeconds(engine: Engine, range: Chunk, limit: number): Promise<readonly ChunkRange[]> {
  const { table, from, to } = range
  const block = await engine.select(
    `SELECT intDiv(${placeSql(table)}, 1000000000) AS second, count() AS n FROM ${source(table)} ` +
      `WHERE ${daySql(range)} AND ${rangeSql(range)} GROUP BY second ORDER BY second`,
  )
  const pieces: ChunkRange[] = []
  let begin = BigInt(from)
  let rows = 0
  for (let row = 0; row < block.rows; row++) {
    const count = Number(block.column('n').bigint(row))
    const start = block.column('second').bigint(row) * 1_000_000_000n
    if (rows > 0 && rows + count > limit && start > begin) {
      pieces.push({ ...range, from: String(begin), to: String(start - 1n) })
      begin = start
      rows = 0
    }
    rows += count
  }
  return [...pieces, { ...range, from: String(begin), to }]
}

function byIds(range: Chunk, limit: number): readonly ChunkRange[] {
  const count = BigInt(Math.ceil(range.rows / limit))
  const from = BigInt(range.from)
  const width = (BigInt(range.to) - from + 1n) / count
  return Array.from({ length: Number(count) }, (_, i) => {
    const begin = from + width * BigInt(i)
    return { ...range, from: String(begin), to: BigInt(i) === count - 1n ? range.to : String(begin + width - 1n) }
  })
}

async function rowsPerChunk(engine: Engine, table: string): Promise<number> {
  const block = await engine.select(
    'SELECT sum(data_uncompressed_bytes) AS bytes, sum(rows) AS n FROM system.parts ' +
      'WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}',
    { parameters: { tables: [table, `${table}_local`] } },
  )
  const rows = Number(block.column('n').bigint(0))
  const bytes = Number(block.column('bytes').bigint(0))
  const limit = rows === 0 ? MAX_CHUNK_ROWS : Math.floor(CHUNK_BYTES / Math.max(1, bytes / rows))
  return Math.max(MIN_CHUNK_ROWS, Math.min(MAX_CHUNK_ROWS, limit))
}

/** The rows of a chunk in the Native format. */
export async function readChunk(
  engine: Engine,
  range: ChunkRange,
  signal?: AbortSignal,
): Promise<{ readonly rows: number; readonly bytes: Uint8Array }> {
  const { table } = range
  const columns = Object.keys(tableOf(table).columns).map(quoteName).join(', ')
  const pieces: Uint8Array[] = []
  const sql =
    `SELECT ${columns} FROM ${source(table)} WHERE ${daySql(range)} AND ${rangeSql(range)} ` +
    'SETTINGS low_cardinality_allow_in_native_format = 0'
  for await (const piece of engine.selectBytes(sql, { streamed: false, ...(signal === undefined ? {} : { signal }) }))
    pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  return { rows: rowsIn(bytes), bytes }
}

/** The number of rows in Native blocks. */
export function rowsIn(bytes: Uint8Array): number {
  let rows = 0
  for (const block of readBlocks(bytes)) rows += block.rows
  return rows
}

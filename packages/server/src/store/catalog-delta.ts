// The changes that a group of commits makes to the catalog of queries (query/catalog). They are made from the group's rows,
// and delivered when the rows are visible to queries. Plain bytes, so that they can be sent to other threads.
import { ArrayColumn, LongColumn } from './native/column.ts'
import type { TableBatch } from './native/table.ts'
import { toNative } from './native/table.ts'
import { IdIndex } from './symbols/id-index.ts'

/**
 * Blocks of the Native format by table. Symbols are those that the group stored. Profiles have few columns, and `sets`: the
 * distinct attribute sets of their samples.
 */
export type CatalogDelta = ReadonlyMap<CatalogTable, Uint8Array>

/** Each table refers to tables after it. */
export const CATALOG_TABLES = ['profiles', 'series', 'resources', 'scopes', 'attribute_sets'] as const
export type CatalogTable = (typeof CATALOG_TABLES)[number]

const PROFILE_COLUMNS = ['tenant', 'received', 'series', 'attributes', 'period', 'overflowed', 'total', 'time'] as const

export function catalogDelta(batches: readonly TableBatch[]): CatalogDelta {
  const delta = new Map<CatalogTable, Uint8Array>()
  for (const batch of batches) {
    const table = CATALOG_TABLES.find(name => name === batch.table.name)
    if (table !== undefined) delta.set(table, table === 'profiles' ? profileRows(batch) : batch.toNative())
  }
  return delta
}

function profileRows({ rows, columns }: TableBatch): Uint8Array {
  const sets = distinctIds(columns['sample_attributes'] as ArrayColumn<LongColumn>)
  const given = PROFILE_COLUMNS.map(name => [name, columns[name]] as const)
  return toNative('profiles', rows, [...given, ['sets', sets]])
}

/** The distinct ids of each row, without 0. */
function distinctIds(column: ArrayColumn<LongColumn>): ArrayColumn<LongColumn> {
  const pieces: Uint8Array[] = []
  column.addPieces(pieces)
  const [ends, words] = pieces.map(piece => new Int32Array(piece.buffer, piece.byteOffset, piece.length >> 2))
  const distinct = new ArrayColumn(new LongColumn('UInt64'))
  const numbers = new IdIndex()
  /** The last row that has the id, by number. */
  const lastRow: number[] = []
  for (let row = 0, at = 0; row < column.length; row++) {
    for (const end = 2 * ends[2 * row]; at < end; at += 2) {
      const number = numbers.add(words[at], words[at + 1])
      if (number === 0 || lastRow[number] === row) continue
      lastRow[number] = row
      distinct.values.pushHalves(words[at], words[at + 1])
    }
    distinct.endRow()
  }
  return distinct
}

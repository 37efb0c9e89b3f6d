// The rows of one table of a group, as the content of a file in the journal.
import { crc32 } from 'node:zlib'
import type { CatalogDelta } from '../catalog-delta.ts'
import type { TableBatch } from '../native/table.ts'

/** The rows of a group, and the changes that they make to the catalog of queries. */
export interface TakenRows {
  readonly files: readonly GroupFile[]
  readonly delta: CatalogDelta
}

export interface GroupFile {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly crc32: number
  /** A Native block. It has a buffer of its own, which can move to another thread. */
  readonly content: Uint8Array<ArrayBuffer>
}

/** Copies the rows. Throws if a column was not filled, which is a bug. */
export function groupFile(batch: TableBatch): GroupFile {
  const { table, rows } = batch
  const pieces = batch.nativePieces()
  const content = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    content.set(piece, at)
    at += piece.length
  }
  return { table: table.name, columns: Object.keys(table.columns), rows, crc32: crc32(content), content }
}

// Writes the rows of a batch to a file, like the journal.
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NativeSource } from '../engine.ts'
import type { ColumnKinds, TableBatch } from '../native/table.ts'

export async function nativeFile<Kinds extends ColumnKinds>(
  directory: string,
  batch: TableBatch<Kinds>,
): Promise<NativeSource> {
  const file = join(directory, `${randomUUID()}.native`)
  await writeFile(file, batch.toNative())
  return { file, columns: Object.keys(batch.table.columns) }
}

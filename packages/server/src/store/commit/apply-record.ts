// Under load, several groups are inserted together, one insert per table, which saves most of the work of inserts and merges.
// One token then covers the rows of all groups. After a crash the same groups must be retried under the same token:
//   journal/applying.json   the groups being inserted together, and their token
//   journal/applied.json    the groups that are in the engine and can be removed
import { join } from 'node:path'
import { StateFile } from '../../files/state-file.ts'
import type { QuarantineKind, QuarantineNote } from './quarantine-note.ts'
import type { JournalDisk } from './journal-disk.ts'

export interface ApplyRecord {
  /** Common prefix of the tokens of all tables. */
  readonly token: string
  /** The numbers of the groups. */
  readonly groups: readonly number[]
  /** Tables whose combined insert failed. They are inserted group by group with the groups' own tokens. */
  readonly apart: readonly string[]
}

export interface DoneRecord {
  readonly applied: readonly number[]
  readonly aside: readonly { readonly group: number; readonly kind: QuarantineKind; readonly note: QuarantineNote }[]
}

/** The file of a record. Without an intact version, the journal asks the engine which requests it has. */
export function recordFile<Content>(
  directory: string,
  name: 'applying' | 'applied',
  disk: JournalDisk,
  durable: boolean,
): StateFile<Content> {
  // A correct checksum proves that the journal wrote the file, so that its fields need no checks.
  return new StateFile(join(directory, `${name}.json`), {
    parse: json => json as Content,
    disk,
    durable,
    optional: true,
    shortLived: true,
  })
}

// Checks the checksums of all groups in a journal, without changing anything.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readGroup } from './journal.ts'
import { errorCode, messageOf } from './journal-disk.ts'

export interface JournalCheck {
  readonly groups: number
  readonly faults: readonly { readonly group: string; readonly message: string }[]
}

export async function verifyJournal(directory: string): Promise<JournalCheck> {
  const faults: { group: string; message: string }[] = []
  let groups = 0
  for (const name of await readdir(directory).catch(() => [])) {
    if (!/^\d{10,}$/.test(name)) continue
    try {
      await readGroup(Number(name), join(directory, name), false)
      groups++
    } catch (error) {
      // A running server may have inserted and removed it meanwhile.
      if (await exists(join(directory, name))) faults.push({ group: name, message: messageOf(error) })
    }
  }
  for (const kind of ['refused', 'broken'])
    for (const name of await readdir(join(directory, kind)).catch(() => []))
      faults.push({
        group: `${kind}/${name}`,
        message: kind === 'broken' ? 'is damaged; its rows are not in the store' : 'was rejected by the store',
      })
  return { groups, faults }
}

async function exists(directory: string): Promise<boolean> {
  return readdir(directory).then(
    () => true,
    error => errorCode(error) !== 'ENOENT',
  )
}

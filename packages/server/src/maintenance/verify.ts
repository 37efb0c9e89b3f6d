// `hearth admin verify` and `hearth admin repair`: check every part, the journal and the state files, and repair what can be
// repaired. They work in a running server, and on the directory of a stopped one.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { repairStateFiles } from '../files/repair-state-files.ts'
import { stateFileProblems } from '../files/state-problems.ts'
import { counterFile } from '../store/commit/journal-counter.ts'
import { recoverBroken } from '../store/commit/recover-broken.ts'
import { verifyJournal } from '../store/commit/verify-journal.ts'
import { rebuildSeries } from '../store/damage/rebuild-series.ts'
import { salvage } from '../store/damage/salvage.ts'
import type { Store } from '../store/store.ts'

/** One line of a report. */
export interface StoreFinding {
  readonly kind: 'part' | 'journal' | 'state-file'
  readonly what: string
  readonly message: string
}

export interface VerifyReport {
  readonly parts: number
  readonly bytes: number
  readonly groups: number
  readonly findings: readonly StoreFinding[]
}

export type Progress = (message: string) => void

export interface MaintainedStore {
  readonly store: Pick<Store, 'damaged' | 'engine' | 'forgetSymbols' | 'problemsSeen'>
  readonly dataDirectory: string
}

/** Damaged parts are detached, as a query would do. Everything else stays as it is. */
export async function verify({ store, dataDirectory }: MaintainedStore, progress: Progress): Promise<VerifyReport> {
  const findings: StoreFinding[] = []
  const before = store.damaged.list.map(({ table, part, path }) =>
    finding('part', `${table} ${part}`, `is damaged; it is kept in ${path}`),
  )
  const parts = store.damaged.canCheck ? await store.damaged.activeParts() : []
  let bytes = 0
  for (const [i, part] of parts.entries()) {
    const { fault } = await store.damaged.check(part)
    bytes += part.bytes
    if (fault !== undefined)
      findings.push(finding('part', `${part.table} ${part.name}`, `${fault}; it is detached now`))
    if (i % 100 === 99) progress(`checked ${i + 1} of ${parts.length} parts`)
  }
  const journal = await verifyJournal(join(dataDirectory, 'journal'))
  for (const { group, message } of journal.faults) findings.push(finding('journal', group, message))
  for (const message of counterFile(join(dataDirectory, 'journal')).read().content?.lost ?? [])
    findings.push(finding('journal', 'counter.json', message))
  for (const { file, message } of await stateFileProblems(dataDirectory, { content: true }))
    findings.push(finding('state-file', file, message))
  return { parts: parts.length, bytes, groups: journal.groups, findings: [...before, ...findings] }
}

export interface RepairReport extends VerifyReport {
  /** Steps that were done, as sentences. */
  readonly repaired: readonly string[]
}

/**
 * Verifies everything, recovers the intact rows of damaged parts, and moves damaged files to `quarantine`. Symbols that are lost
 * are written again when a request announces them, and the catalog is read from the rows again.
 */
export async function repair(maintained: MaintainedStore, progress: Progress): Promise<RepairReport> {
  const { store, dataDirectory } = maintained
  const report = await verify(maintained, progress)
  const quarantine = join(dataDirectory, 'quarantine')
  const repaired: string[] = []
  for (const part of store.damaged.list) {
    if (await store.damaged.accept(part)) {
      repaired.push(`${part.table}: the rows of a damaged part are lost; ClickHouse keeps it in ${part.path}`)
      continue
    }
    const { table, recovered, lost, kept, reason } = await salvage(store.engine, part, join(quarantine, 'parts'))
    const why = reason === '' ? '' : ` (${reason})`
    store.damaged.announce(table)
    repaired.push(`${table}: recovered ${recovered} rows, lost ${lost}${why}; the damaged part is kept in ${kept}`)
    progress(repaired[repaired.length - 1])
  }
  if (repaired.length > 0) {
    const series = await rebuildSeries(store.engine)
    if (series > 0) {
      store.damaged.announce('series')
      repaired.push(`series: rebuilt ${series} ${series === 1 ? 'row' : 'rows'} from profiles`)
    }
    await store.damaged.refresh()
    await store.forgetSymbols()
    repaired.push('names and attributes that are lost are stored again when senders announce them next')
  }
  const journal = join(dataDirectory, 'journal')
  for (const { group, rows, lost, kept } of await recoverBroken(store.engine, journal, join(quarantine, 'journal'))) {
    for (const table of ['profiles', 'series']) store.damaged.announce(table)
    const what = lost.length === 0 ? 'nothing' : lost.join(', ')
    repaired.push(`journal group ${group}: recovered ${rows} rows, lost ${what}; it is kept in ${kept}`)
  }
  repaired.push(...(await repairStateFiles(dataDirectory, join(quarantine, 'state-files'))))
  if (await store.problemsSeen()) repaired.push('the lost journal is no longer reported')
  return { ...report, repaired }
}

function finding(kind: StoreFinding['kind'], what: string, message: string): StoreFinding {
  return { kind, what, message }
}

/** Whether the directory has anything that a server wrote. */
export async function hasData(dataDirectory: string): Promise<boolean> {
  const names = await readdir(dataDirectory).catch(() => [])
  return names.some(name => name === 'store' || name === 'journal')
}

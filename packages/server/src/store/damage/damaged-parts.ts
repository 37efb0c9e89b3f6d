// Damaged parts of the store's tables. A part is a directory of immutable files with checksums. A damaged one is moved to the
// `detached` directory of its table, so that queries use the rest. In the embedded store it gets the name `broken_PART`, as the
// engine itself does with parts that it cannot open at its start. The files of a ClickHouse server are out of reach, so that a
// state file lists its damaged parts (part-marks.ts). Nothing is deleted.
import { readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CommitLog, Problem } from '../commit/commit-state.ts'
import type { Engine } from '../engine.ts'
import { allTables, datedTables } from '../schema/all-tables.ts'
import { quoteName, quoteText } from '../sql-text.ts'
import type { SharedState } from '../sharing/shared-state.ts'
import type { PartMarks } from './part-marks.ts'
import { partitionIn } from './part-marks.ts'

export interface DamagedPart {
  readonly table: string
  /** Without the prefix of its directory. */
  readonly part: string
  /** The directory. */
  readonly path: string
  /** The tenant whose rows are missing. Undefined for symbols and if it cannot be read. */
  readonly tenant: string | undefined
  /** The day of receipt (YYYY-MM-DD), likewise. */
  readonly day: string | undefined
}

/** An active part of a table. */
export interface Part {
  readonly table: string
  readonly name: string
  readonly bytes: number
  readonly rows: number
}

/** The result of a check. `fault` is undefined for an intact part. */
export interface PartCheck extends Part {
  readonly fault: string | undefined
}

export interface DamagedPartsOptions {
  /** Runs the checks. Its statements must not call back here. */
  readonly engine: Engine
  readonly log: CommitLog
  /** For the parts of a ClickHouse server. Undefined for the embedded store. */
  readonly marks?: PartMarks | undefined
  /** Whether parts can be checked and detached. The replicas of a cluster repair each other. */
  readonly canCheck: boolean
  /** Called when rows have disappeared from a table. The tenant is undefined if it may be any. */
  readonly onDetached: (table: string, tenant: string | undefined) => void
}

export class DamagedParts {
  readonly #options: DamagedPartsOptions
  #found: readonly DamagedPart[] = []
  #since = new Map<string, number>()
  /** One check at a time, so that concurrent queries do not check the same part. */
  #containing: Promise<unknown> = Promise.resolve()

  constructor(options: DamagedPartsOptions) {
    this.#options = options
  }

  get canCheck(): boolean {
    return this.#options.canCheck
  }

  /** Parts that are missing from responses. */
  get list(): readonly DamagedPart[] {
    return this.#found
  }

  /** The parts that may concern a tenant. */
  of(tenant: string): readonly DamagedPart[] {
    return this.#found.filter(part => part.tenant === undefined || part.tenant === tenant)
  }

  problems(): readonly Problem[] {
    return this.#found.map(({ table, part, path, tenant, day }) => {
      const whose = tenant === undefined ? '' : ` (tenant ${tenant}, ${day})`
      const message =
        `a part of ${table} is damaged${whose}, and its rows are missing from responses; it is kept in ${path}; ` +
        (this.#options.marks === undefined
          ? '`hearth admin repair` recovers its intact rows'
          : 'restore it in ClickHouse, or accept the loss with `hearth admin repair`')
      return { code: 'parts-broken', message, since: this.#since.get(`${table} ${part}`) ?? Date.now() }
    })
  }

  /** Reads the list again. Call it after the start, and after anything that moves parts. */
  async refresh(): Promise<void> {
    const { engine, marks } = this.#options
    const block = await engine.select(
      "SELECT table, name, path, startsWith(reason, 'broken') AS broken FROM system.detached_parts " +
        'WHERE database = currentDatabase() ORDER BY table, name',
    )
    const found: DamagedPart[] = []
    for (let row = 0; row < block.rows; row++) {
      const table = block.column('table').text(row)
      const name = block.column('name').text(row)
      const path = block.column('path').text(row)
      const part = name.replace(/^broken(?:-on-start)?_/, '')
      const mark = marks?.of(table, part)
      // Parts that were detached by hand or are covered by others are not damaged.
      const isBroken = mark !== undefined || block.column('broken').number(row) === 1
      if (!isBroken || mark?.isAccepted === true) continue
      const { tenant, day } = mark ?? (await partitionOf(table, path))
      found.push({ table, part, path, tenant, day })
    }
    this.#found = found
    this.#since = new Map(
      found.map(({ table, part }) => [`${table} ${part}`, this.#since.get(`${table} ${part}`) ?? Date.now()]),
    )
  }

  /** From now on, also reports parts that other servers of the store have detached. */
  async share(shared: SharedState): Promise<void> {
    await this.#options.marks?.share(shared, async () => {
      const before = new Set(this.#found.map(({ table, part }) => `${table} ${part}`))
      await this.refresh()
      for (const { table, part, tenant } of this.#found)
        if (!before.has(`${table} ${part}`)) this.#options.onDetached(table, tenant)
    })
  }

  /** The rows of a ClickHouse server's part are lost, and an administrator has seen it. Returns false in the embedded store. */
  async accept({ table, part, tenant, day }: DamagedPart): Promise<boolean> {
    const { marks } = this.#options
    await marks?.add({ table, part, tenant, day, isAccepted: true })
    marks?.publish()
    return marks !== undefined
  }

  /** Tells queries that rows of a table have changed without a commit. */
  announce(table: string): void {
    this.#options.onDetached(table, undefined)
  }

  /**
   * Checks the parts that a failed statement may have read, and detaches damaged ones. Returns whether a repetition of the
   * statement reads other parts.
   */
  contain(sql: string, message: string): Promise<boolean> {
    const before = this.#found.length
    const containing = this.#containing.then(async () => {
      // Another query may have met the same part meanwhile.
      if (this.#found.length > before) return true
      const parts = suspects(await this.activeParts(), sql, message)
      let detached = 0
      for (const part of parts) if ((await this.check(part)).fault !== undefined) detached++
      return detached > 0
    })
    this.#containing = containing.catch(() => undefined)
    return containing
  }

  async activeParts(): Promise<readonly Part[]> {
    const block = await this.#options.engine.select(
      'SELECT table, name, bytes_on_disk AS bytes, rows FROM system.parts WHERE database = currentDatabase() AND active ' +
        // Tables of salvage.ts have damaged parts on purpose.
        "AND NOT startsWith(table, 'salvage_') ORDER BY table, name",
    )
    return Array.from({ length: block.rows }, (_, row) => ({
      table: block.column('table').text(row),
      name: block.column('name').text(row),
      bytes: Number(block.column('bytes').bigint(row)),
      rows: Number(block.column('rows').bigint(row)),
    }))
  }

  /** Compares the files of a part with its checksums, at a limited rate, and detaches it if they differ. */
  async check(part: Part, bytesPerSecond = 0): Promise<PartCheck> {
    const { engine, log } = this.#options
    const { table, name } = part
    const block = await engine
      .select(
        `CHECK TABLE ${quoteName(table)} PART ${quoteText(name)} ` +
          `SETTINGS check_query_single_value_result = 0, max_local_read_bandwidth = ${bytesPerSecond}`,
      )
      .catch(async (error: unknown) => {
        // A merge may have replaced it.
        if (!(await this.#isActive(part))) return undefined
        throw error
      })
    if (block === undefined || block.rows === 0 || block.column('is_passed').number(0) === 1)
      return { ...part, fault: undefined }
    const fault = block.column('message').text(0)
    log.error({ table, part: name, fault, problem: 'parts-broken' }, 'a part of a table is damaged; it is detached')
    await this.#detach(part)
    return { ...part, fault }
  }

  async #isActive({ table, name }: Part): Promise<boolean> {
    return (await this.activeParts()).some(part => part.table === table && part.name === name)
  }

  async #detach(part: Part): Promise<void> {
    const { engine, marks, onDetached } = this.#options
    const { table, name } = part
    const active = await engine.select(
      'SELECT path, partition FROM system.parts WHERE database = currentDatabase() AND active AND table = {table:String} AND name = {name:String}',
      { parameters: { table, name } },
    )
    if (active.rows === 0) return
    const path = active.column('path').text(0).replace(/\/$/, '')
    // The mark comes first. Without a detached part of this name it means nothing.
    await marks?.add({ table, part: name, ...partitionIn(active.column('partition').text(0)), isAccepted: false })
    await engine.command(`ALTER TABLE ${quoteName(table)} DETACH PART ${quoteText(name)}`)
    const detached = join(dirname(path), 'detached')
    // The prefix distinguishes it from parts that were detached by hand.
    if (marks === undefined) await rename(join(detached, basename(path)), join(detached, `broken_${name}`))
    // Not earlier: other servers look for the detached part as soon as they see the mark.
    marks?.publish()
    await this.refresh()
    onDetached(table, this.#found.find(found => found.table === table && found.part === name)?.tenant)
  }
}

/** The parts that the message names, or else all parts of the tables that the statement names. */
function suspects(parts: readonly Part[], sql: string, message: string): readonly Part[] {
  const named = parts.filter(({ name }) => message.includes(name))
  if (named.length > 0) return named
  const words = new Set(sql.match(/\w+/g))
  return parts.filter(({ table }) => words.has(table))
}

const MS_PER_DAY = 86_400_000

/** partition.dat has the values of the partition key: the tenant after its length, and the day in two bytes. */
async function partitionOf(table: string, path: string): Promise<Pick<DamagedPart, 'tenant' | 'day'>> {
  const unknown = { tenant: undefined, day: undefined }
  if (!datedTables.some(({ name }) => name === table)) return unknown
  try {
    const bytes = await readFile(join(path, 'partition.dat'))
    // A tenant's name has at most 64 bytes, so that its length takes one byte.
    const [length] = bytes
    if (bytes.length !== length + 3) return unknown
    const day = new Date(bytes.readUInt16LE(length + 1) * MS_PER_DAY).toISOString().slice(0, 10)
    return { tenant: bytes.toString('utf8', 1, length + 1), day }
  } catch {
    return unknown
  }
}

/** The signal whose responses lack data. Symbols and the origin of rows concern several. */
const SIGNAL_OF: Readonly<Record<string, string>> = {
  profiles: 'profiles',
  span_samples: 'profiles',
  spans: 'traces',
  logs: 'logs',
  metric_points: 'metrics',
}

/** A sentence for people who read an incomplete response. */
export function missingText(parts: readonly DamagedPart[]): string {
  const signals = new Set(parts.map(({ table }) => SIGNAL_OF[table] ?? 'names and attributes'))
  const days = [...new Set(parts.flatMap(({ day }) => day ?? []))].sort()
  const when =
    days.length === 0 ? '' : ` received on ${days.slice(0, 3).join(', ')}${days.length > 3 ? ' and later' : ''}`
  return `data is missing: ${parts.length} damaged ${parts.length === 1 ? 'part' : 'parts'} of ${[...signals].join(', ')}${when}`
}

export function isSymbolTable(table: string): boolean {
  return allTables.some(({ name }) => name === table) && !datedTables.some(({ name }) => name === table)
}

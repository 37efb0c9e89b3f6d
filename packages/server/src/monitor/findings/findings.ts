// The findings of each tenant, with their states and history, in state files.
import { randomBytes } from 'node:crypto'
import type { StateFiles } from '../../broker/state-file.ts'
import { changeAgain } from '../../broker/state-file.ts'
import type {
  ComparisonState,
  Cursor,
  Deployment,
  Finding,
  FindingFile,
  FindingState,
  FindingHistoryEntry,
} from './finding.ts'
import { EMPTY_FINDINGS } from './finding.ts'

/** A finding before it gets an id, a state and a history. */
export type NewFinding = Omit<Finding, 'id' | 'state' | 'opened' | 'changed' | 'history'>

export interface FindingsOptions {
  readonly files: StateFiles<FindingFile>
  /** Called after a finding was opened, changed its state, or was confirmed. */
  readonly onChange?: (tenant: string, finding: Finding) => void
  readonly now?: () => number
}

const MAX_FINDINGS = 500
const MAX_HISTORY = 50
const MAX_DEPLOYMENTS = 200
const MAX_CURSORS = 5000
/** A finding that is still there is noted once an hour. */
const CONFIRM_MS = 3_600_000
/** An accepted finding opens again if it grew by this factor. */
const GREW = 1.5

export class Findings {
  readonly #options: FindingsOptions
  readonly #tenants = new Map<string, FindingFile>()

  constructor(options: FindingsOptions) {
    this.#options = options
    options.files.onChange(tenant => this.#tenants.delete(tenant))
  }

  /** Latest first. */
  list(tenant: string): readonly Finding[] {
    return this.#of(tenant).findings
  }

  get(tenant: string, id: string): Finding | undefined {
    return this.list(tenant).find(finding => finding.id === id)
  }

  deployments(tenant: string): readonly Deployment[] {
    return this.#of(tenant).deployments
  }

  cursors(tenant: string): Readonly<Record<string, Cursor>> {
    return this.#of(tenant).cursors
  }

  /** The last comparison of each service and type. */
  comparisons(tenant: string): readonly ComparisonState[] {
    return Object.values(this.#of(tenant).comparisons)
  }

  async addDeployment(tenant: string, deployment: Deployment): Promise<void> {
    await changeAgain(async () => {
      const state = this.#of(tenant)
      await this.#set(tenant, { ...state, deployments: [deployment, ...state.deployments].slice(0, MAX_DEPLOYMENTS) })
    })
  }

  /** Records a comparison with its result. A finding that is known already is updated. */
  async record(
    tenant: string,
    key: string,
    cursor: Cursor,
    compared: ComparisonState,
    found: readonly NewFinding[],
  ): Promise<void> {
    const before = this.#of(tenant)
    let { findings } = before
    const changed: Finding[] = []
    for (const each of found) {
      const known = findings.find(finding => isSame(finding, each))
      const next = known === undefined ? this.#opened(each) : this.#updated(known, each)
      if (next === known) continue
      changed.push(next)
      findings = [next, ...findings.filter(finding => finding !== known)]
    }
    await this.#set(tenant, {
      ...before,
      findings: limited(findings),
      cursors: limitedRecord({ ...before.cursors, [key]: cursor }),
      comparisons: limitedRecord({ ...before.comparisons, [key]: compared }),
    })
    for (const finding of changed) this.#options.onChange?.(tenant, finding)
  }

  /** Returns undefined if the finding is unknown. */
  async setState(
    tenant: string,
    id: string,
    state: FindingState,
    details: Pick<FindingHistoryEntry, 'by' | 'note' | 'change' | 'margin'> = {},
  ): Promise<Finding | undefined> {
    const next = await changeAgain(async () => {
      const file = this.#of(tenant)
      const known = file.findings.find(finding => finding.id === id)
      if (known === undefined || known.state === state) return { known }
      const event = state === 'open' ? 'reopened' : state
      const changed = this.#with({ ...known, state }, { event, ...details })
      await this.#set(tenant, { ...file, findings: file.findings.map(each => (each === known ? changed : each)) })
      return { changed }
    })
    if (next.changed === undefined) return next.known
    this.#options.onChange?.(tenant, next.changed)
    return next.changed
  }

  /** Removes everything about the services. */
  async forget(tenant: string, services: readonly string[]): Promise<void> {
    const state = this.#of(tenant)
    const isOther = (each: { readonly service: string }): boolean => !services.includes(each.service)
    // A key is the service, the type and the unit.
    const isOtherKey = ([key]: readonly [string, unknown]): boolean =>
      isOther({ service: String((JSON.parse(key) as unknown[])[0]) })
    await this.#set(tenant, {
      findings: state.findings.filter(isOther),
      deployments: state.deployments.filter(isOther),
      cursors: Object.fromEntries(Object.entries(state.cursors).filter(isOtherKey)),
      comparisons: Object.fromEntries(Object.entries(state.comparisons).filter(isOtherKey)),
    })
  }

  #opened(found: NewFinding): Finding {
    const time = this.#time()
    const history = [{ time, event: 'opened' as const, change: found.change, margin: found.margin }]
    return { ...found, id: randomBytes(6).toString('hex'), state: 'open', opened: time, changed: time, history }
  }

  #updated(known: Finding, found: NewFinding): Finding {
    const { id, state, opened, changed, history } = known
    const { change, margin } = found
    const next = { ...found, since: known.since, id, state, opened, changed, history }
    if (state === 'fixed')
      return this.#with({ ...next, since: found.since, state: 'open' }, { event: 'reopened', change, margin })
    if (state === 'accepted' && change > GREW * known.change)
      return this.#with({ ...next, state: 'open' }, { event: 'reopened', change, margin, note: 'the change grew' })
    const isDue = Date.parse(this.#time()) - Date.parse(history.at(-1)?.time ?? opened) >= CONFIRM_MS
    // The first values stay as a reference for what was accepted.
    if (state === 'accepted') return known
    return isDue ? this.#with(next, { event: 'confirmed', change, margin }) : { ...next, changed: this.#time() }
  }

  #with(finding: Finding, entry: Omit<FindingHistoryEntry, 'time'>): Finding {
    const time = this.#time()
    const history = [...finding.history, { time, ...entry }]
    // The first entry says when it was opened.
    const kept = history.length > MAX_HISTORY ? [history[0], ...history.slice(1 - MAX_HISTORY)] : history
    return { ...finding, changed: time, history: kept }
  }

  #time(): string {
    return new Date(this.#options.now?.() ?? Date.now()).toISOString()
  }

  #of(tenant: string): FindingFile {
    const known = this.#tenants.get(tenant)
    if (known !== undefined) return known
    const read = this.#options.files.read(tenant) ?? EMPTY_FINDINGS
    this.#tenants.set(tenant, read)
    return read
  }

  async #set(tenant: string, state: FindingFile): Promise<void> {
    this.#tenants.set(tenant, state)
    await this.#options.files.writeSoon(tenant, state)
  }
}

/** One cause in one service is one finding, also if a later comparison names another function of the same group. */
function isSame(known: Finding, found: NewFinding): boolean {
  if (known.service !== found.service || known.type !== found.type) return false
  if (known.environment?.value !== found.environment?.value) return false
  if (known.cause.name === found.cause.name) return true
  if (known.version !== found.version || known.state === 'fixed') return false
  const isIn = (name: string, { functions }: Pick<Finding, 'functions'>): boolean =>
    functions.some(each => each.name === name)
  return isIn(known.cause.name, found) && isIn(found.cause.name, known)
}

/** Open findings stay; the oldest of the others are dropped. */
function limited(findings: readonly Finding[]): Finding[] {
  const open = findings.filter(({ state }) => state === 'open').slice(0, MAX_FINDINGS)
  const closed = findings.filter(({ state }) => state !== 'open').slice(0, MAX_FINDINGS - open.length)
  const kept = new Set([...open, ...closed])
  return findings.filter(finding => kept.has(finding))
}

function limitedRecord<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).slice(-MAX_CURSORS))
}

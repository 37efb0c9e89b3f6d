// Compares all services continuously, and turns significant increases into findings.
import { canonicalUnit, isGaugeType } from '@hearth/profile'
import type { ComparedFunction } from '../../query/compare/compare-ranges.ts'
import type { ServiceVersion } from '../../query/compare/service-versions.ts'
import type { TaskRunner } from '../../query/threads/query-task.ts'
import type { ComparedTask, MonitorTasks } from '../monitor-tasks.ts'
import type { DueComparison } from './due-comparisons.ts'
import { LOOK_BACK, dueComparisons, mergedVersions } from './due-comparisons.ts'
import type { Finding, FindingFunction } from './finding.ts'
import type { Findings, NewFinding } from './findings.ts'

export interface RegressionsOptions {
  readonly threads: TaskRunner<MonitorTasks>
  readonly findings: Findings
  readonly tenants: () => Promise<readonly string[]>
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970; the system clock unless given. */
  readonly now?: () => number
}

/** With fewer observations on a side, nothing is reported and nothing counts as a look. */
const MIN_OBSERVATIONS = 200
/** Open findings are compared with their baseline again this often. */
const RECHECK_MS = 600_000
const RECHECK_RANGE = 900_000_000_000n
/** A finding is fixed if less than this part of its change can be left. */
const LEFT = 0.5
/** Full scans may take this part of the time, so that those of a small tenant run every time. The longest pause between them is ten minutes. */
const SCAN_PART = 20n
const MAX_SCAN_PAUSE = 600_000_000_000n
/** Profiles arrive this much later at most, or the next full scan finds them. */
const LATE = 120_000_000_000n
const MAX_FUNCTIONS = 20
const LIMITS = { maxSeconds: 60 }

interface FullScan {
  readonly time: bigint
  /** Nanoseconds until the next one. */
  readonly pause: bigint
  readonly versions: readonly ServiceVersion[]
}

export class Regressions {
  readonly #options: RegressionsOptions
  readonly #checked = new Map<string, number>()
  /** The versions of each tenant at the last full scan. */
  readonly #known = new Map<string, FullScan>()

  constructor(options: RegressionsOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const tenant of await this.#options.tenants()) {
      if (signal.aborted) return
      await this.#compareAll(tenant, signal)
      await this.#recheck(tenant, signal)
    }
  }

  async #compareAll(tenant: string, signal: AbortSignal): Promise<void> {
    const { findings, onError } = this.#options
    const now = this.#now()
    const versions = await this.#versions(tenant, now, signal)
    for (const due of dueComparisons(versions, findings.deployments(tenant), findings.cursors(tenant), now)) {
      if (signal.aborted) return
      try {
        await this.#compare(tenant, due, signal)
      } catch (error) {
        // One service must not keep the others from being compared.
        onError(error)
      }
    }
  }

  /** Reads a week now and then, and in between only what is new: a week of a large tenant has millions of profiles. */
  async #versions(tenant: string, now: bigint, signal: AbortSignal): Promise<readonly ServiceVersion[]> {
    const { threads } = this.#options
    const known = this.#known.get(tenant)
    const isFresh = known !== undefined && now - known.time < known.pause
    const from = isFresh ? known.time - LATE : now - LOOK_BACK
    const task = { tenant, from: from > 0n ? from : 0n, to: now, limits: LIMITS }
    const found = await threads.call('monitorVersions', task, { tenant, signal })
    if (isFresh) return mergedVersions(known.versions, found)
    const pause = SCAN_PART * (this.#now() - now)
    this.#known.set(tenant, { time: now, pause: pause < MAX_SCAN_PAUSE ? pause : MAX_SCAN_PAUSE, versions: found })
    return found
  }

  async #compare(tenant: string, due: DueComparison, signal: AbortSignal): Promise<void> {
    const { threads, findings } = this.#options
    const { before, after, alsoBefore, maxRate } = due
    const task = { tenant, before, after, maxRate, limits: LIMITS }
    const compared = await threads.call('monitorCompare', task, { tenant, signal })
    const enough = Math.min(...compared.observations) >= MIN_OBSERVATIONS && showsVariation(compared)
    if (!enough && due.comparison !== 'day') return
    let found = enough ? findingsOf(due, compared) : []
    if (found.length > 0 && alsoBefore !== undefined) {
      const other = await threads.call('monitorCompare', { ...task, before: alsoBefore }, { tenant, signal })
      if (other.observations[0] >= MIN_OBSERVATIONS) found = found.filter(({ cause }) => agrees(other, cause, maxRate))
    }
    const { observations, instances, variation, detectable } = compared
    await findings.record(
      tenant,
      due.key,
      due.cursor,
      {
        service: due.service,
        ...namedEnvironment(due),
        type: due.type,
        comparison: due.comparison,
        version: due.version,
        previousVersion: due.previousVersion,
        time: new Date(Number(this.#now() / 1_000_000n)).toISOString(),
        observations: [...observations],
        instances: [...instances],
        variation,
        ...(detectable === undefined ? {} : { detectable }),
        found: found.length,
      },
      found,
    )
  }

  /** Closes findings whose function costs as little as before again. */
  async #recheck(tenant: string, signal: AbortSignal): Promise<void> {
    const { findings, threads, onError } = this.#options
    const now = this.#now()
    for (const finding of findings.list(tenant)) {
      const ms = Number(now / 1_000_000n)
      if (finding.state !== 'open' || ms - (this.#checked.get(finding.id) ?? Date.parse(finding.opened)) < RECHECK_MS)
        continue
      if (signal.aborted) return
      this.#checked.set(finding.id, ms)
      const { baseline, current } = finding
      // Any version: the next one may have the fix.
      const selector = current.selector.replace(/, (?:service\.version=.*|!service\.version)\}$/, '}')
      const task = {
        tenant,
        before: { selector: baseline.selector, from: BigInt(baseline.from), to: BigInt(baseline.to) },
        after: { selector, from: now - RECHECK_RANGE, to: now },
        maxRate: 0.05,
        maxRows: 100_000,
        limits: LIMITS,
      }
      try {
        const compared = await threads.call('monitorCompare', task, { tenant, signal })
        if (isFixed(finding, compared))
          await findings.setState(tenant, finding.id, 'fixed', { note: 'the cost is as low as before again' })
      } catch (error) {
        onError(error)
      }
    }
  }

  #now(): bigint {
    return BigInt(this.#options.now?.() ?? Date.now()) * 1_000_000n
  }
}

/**
 * Snapshots of a state are one run per instance. With one on each side it is not known how much instances differ, and the heap of a
 * young process differs from that of an old one without any change of the code.
 */
export function showsVariation({ runs: [before, after] }: Pick<ComparedTask, 'runs'>): boolean {
  return before + after > 2
}

function isFixed({ cause }: Finding, { rows, observations }: ComparedTask): boolean {
  if (Math.min(...observations) < MIN_OBSERVATIONS) return false
  const row = rows.find(({ name, file }) => name === cause.name && file === cause.file)
  const left = row === undefined ? 0 : row.total.after - row.total.before + row.total.margin
  return left < LEFT * (cause.total.after - cause.total.before)
}

function agrees({ rows }: ComparedTask, cause: FindingFunction, maxRate: number): boolean {
  const row = rows.find(({ name, file }) => name === cause.name && file === cause.file)
  return row !== undefined && row.total.after > row.total.before && Math.min(row.total.q, row.self.q) <= maxRate
}

export function findingsOf(due: DueComparison, compared: ComparedTask): NewFinding[] {
  const { service, type, comparison, version, previousVersion, since, before, after } = due
  const seconds = (compared.counted * Number(after.to - after.from)) / 1e9
  const { unit, scale } = shownUnit(compared, seconds)
  return compared.found.map((each, i) => ({
    service,
    ...namedEnvironment(due),
    type,
    comparison,
    cause: functionOf(each.causes[0]),
    callers: each.causes.slice(1).map(({ name }) => name),
    functions: each.functions.slice(0, MAX_FUNCTIONS).map(functionOf),
    decreased: each.decreased.slice(0, MAX_FUNCTIONS).map(({ name }) => name),
    change: each.change * scale,
    margin: each.margin * scale,
    before: each.before * scale,
    unit,
    q: each.q,
    ...(compared.detectable === undefined ? {} : { detectable: compared.detectable }),
    since: new Date(Number(since / 1_000_000n)).toISOString(),
    version,
    previousVersion,
    baseline: rangeOf(before),
    current: rangeOf(after),
    traces: [...(compared.traces[i] ?? [])],
  }))
}

function namedEnvironment({ environment }: DueComparison): Pick<Finding, 'environment'> {
  return environment === undefined || environment.value === '' ? {} : { environment }
}

function rangeOf({ selector, from, to }: DueComparison['before']): Finding['baseline'] {
  return { selector, from: from.toString(), to: to.toString() }
}

function functionOf({ name, file, self, total }: ComparedFunction): FindingFunction {
  const shares = ({ before, after, margin, q }: ComparedFunction['self']) => ({ before, after, margin, q })
  return { name, file, self: shares(self), total: shares(total) }
}

/** Times become cores, other sums become rates, and states of memory stay what they are. */
function shownUnit({ type, unit }: ComparedTask, seconds: number): { readonly unit: string; readonly scale: number } {
  if (canonicalUnit(unit) === canonicalUnit('ns')) return { unit: 'cores', scale: 1e-9 / seconds }
  if (isGaugeType(type)) return { unit, scale: 1 }
  return { unit: unit === 'count' ? '1/s' : `${unit}/s`, scale: 1 / seconds }
}

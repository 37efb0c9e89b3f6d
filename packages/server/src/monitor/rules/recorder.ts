// Evaluates recording rules: stores their points as metrics, keeps the latest for Prometheus, and sends them on over OTLP.
import { canonicalUnit } from '@hearth/profile'
import type { StateFiles } from '../../broker/state-file.ts'
import { QueryError } from '../../query/query-error.ts'
import type { TaskRunner } from '../../query/threads/query-task.ts'
import { durationMs } from '../alerts/alert-rule.ts'
import type { MonitorTasks } from '../monitor-tasks.ts'
import { addHistograms } from './add-histograms.ts'
import type { RecordedPoint, RecordedPoints, RecordedRange, RecordingFile, RecordingRule } from './recording-rule.ts'
import { ENTRY_LABEL, metricsJson, recordingProblem } from './recording-rule.ts'

export interface RecorderOptions {
  readonly threads: TaskRunner<MonitorTasks>
  readonly files: StateFiles<RecordingFile>
  readonly rules: (tenant: string) => readonly RecordingRule[]
  /** Stores metrics of the tenant, in OTLP's JSON. */
  readonly storeMetrics: (tenant: string, json: object) => Promise<void>
  /** The OTLP/HTTP endpoint that also gets the points. */
  readonly sendTo?: string | undefined
  readonly fetch?: typeof fetch
  readonly onError: (error: unknown) => void
  readonly now?: () => number
}

const DEFAULT_INTERVAL = '1m'
/** Profiles of an interval arrive this much later at most. */
const LATE_MS = 30_000
/** A rule that was not evaluated for longer begins again. Older points come from a backfill. */
const MAX_STEPS = 1000
const LIMITS = { maxSeconds: 60 }
/** Ledgers are read in parts of at most this length, because a part is in memory as a whole. */
const LEDGER_PART = 3_600_000_000_000n
const TIMEOUT_MS = 10_000

export class Recorder {
  readonly #options: RecorderOptions
  readonly #tenants = new Map<string, RecordingFile>()
  readonly #latest = new Map<string, readonly RecordedPoint[]>()

  constructor(options: RecorderOptions) {
    this.#options = options
    options.files.onChange(tenant => this.#tenants.delete(tenant))
  }

  /** The points of the last interval of each rule. Histograms have the sum of all intervals since the server started. */
  latest(tenant: string): { readonly rule: RecordingRule; readonly points: readonly RecordedPoint[] }[] {
    return this.#options.rules(tenant).map(rule => ({ rule, points: this.#latest.get(`${tenant} ${rule.name}`) ?? [] }))
  }

  range(tenant: string, name: string): RecordedRange | undefined {
    return this.#of(tenant).rules[name]
  }

  async run(tenant: string, signal: AbortSignal): Promise<void> {
    for (const rule of this.#options.rules(tenant)) {
      if (signal.aborted) return
      try {
        await this.#record(tenant, rule, signal)
      } catch (error) {
        const known = this.range(tenant, rule.name)
        if (known !== undefined)
          await this.#set(tenant, rule.name, {
            ...known,
            error: error instanceof Error ? error.message : String(error),
          })
        this.#options.onError(error)
      }
    }
  }

  /** Evaluates a rule without storing its points, for a preview. */
  async preview(
    tenant: string,
    rule: RecordingRule,
    from: bigint,
    to: bigint,
    signal: AbortSignal,
  ): Promise<RecordedPoints> {
    return this.#points(tenant, rule, from, to, signal)
  }

  /** Records the time from `from` to the start of the recorded range. Returns the number of points. */
  async backfill(tenant: string, rule: RecordingRule, from: bigint, signal: AbortSignal): Promise<number> {
    const interval = intervalOf(rule)
    const known = this.range(tenant, rule.name)
    const end = known === undefined ? this.#settled(interval) : BigInt(known.from)
    const start = (from / interval) * interval
    let count = 0
    for (let to = end; to > start;) {
      signal.throwIfAborted()
      const step = BigInt(MAX_STEPS) * interval
      const begin = to - step > start ? to - step : start
      const points = await this.#points(tenant, rule, begin, to, signal)
      await this.#store(tenant, rule, points, interval)
      count += points.points.length
      const current = this.range(tenant, rule.name)
      await this.#set(tenant, rule.name, {
        from: begin.toString(),
        to: current?.to ?? end.toString(),
        sent: current?.sent ?? end.toString(),
      })
      to = begin
    }
    return count
  }

  async #record(tenant: string, rule: RecordingRule, signal: AbortSignal): Promise<void> {
    const interval = intervalOf(rule)
    const to = this.#settled(interval)
    const known = this.range(tenant, rule.name)
    const earliest = to - BigInt(MAX_STEPS) * interval
    const stored = known === undefined ? to - interval : later(BigInt(known.to), earliest)
    const sent = known === undefined ? to - interval : later(BigInt(known.sent), earliest)
    const { sendTo } = this.#options
    const from = sendTo === undefined || stored < sent ? stored : sent
    if (from >= to) return
    const { unit, points } = await this.#points(tenant, rule, from, to, signal)
    const range = { from: known?.from ?? stored.toString(), to: to.toString(), sent: sent.toString() }
    await this.#store(tenant, rule, { unit, points: points.filter(({ time }) => time > stored) }, interval)
    await this.#set(tenant, rule.name, range)
    this.#keepLatest(tenant, rule, points, stored, to)
    if (sendTo !== undefined) {
      await this.#send(sendTo, rule, { unit, points: points.filter(({ time }) => time > sent) }, interval)
      await this.#set(tenant, rule.name, { ...range, sent: to.toString() })
    } else await this.#set(tenant, rule.name, { ...range, sent: to.toString() })
  }

  #keepLatest(tenant: string, rule: RecordingRule, points: readonly RecordedPoint[], stored: bigint, to: bigint): void {
    const key = `${tenant} ${rule.name}`
    const kept =
      rule.ledger === undefined
        ? points.filter(({ time }) => time === to)
        : addHistograms(
            this.#latest.get(key) ?? [],
            points.filter(({ time }) => time > stored),
          )
    this.#latest.set(key, kept)
  }

  async #points(
    tenant: string,
    rule: RecordingRule,
    from: bigint,
    to: bigint,
    signal: AbortSignal,
  ): Promise<RecordedPoints> {
    const { threads } = this.#options
    const { selector, groupBy = [], per = 'second' } = rule
    const problem = recordingProblem(rule)
    if (problem !== undefined) throw new QueryError('argument', problem)
    const interval = intervalOf(rule)
    const start = (from / interval) * interval
    if (selector === undefined) return this.#ledgerPoints(tenant, rule, start, to, signal)
    const task = { tenant, selector, groupBy, from: start, to, step: interval, limits: LIMITS }
    const { unit, isGauge, groups } = await threads.call('monitorSeries', task, { tenant, signal })
    if (isGauge) {
      if (per !== 'second') throw new Error(`${rule.name}: the selected type is a state in ${unit}; remove per: ${per}`)
      return { unit, points: pointsOf(groups, interval, value => value) }
    }
    const seconds = Number(interval) / 1e9
    const isTime = canonicalUnit(unit) === canonicalUnit('ns')
    if (per === 'core' && !isTime && unit !== '')
      throw new Error(`${rule.name}: per core needs a type in nanoseconds, and the selected one is in ${unit}`)
    if (per !== 'request') {
      const scale = per === 'core' ? 1e-9 / seconds : 1 / seconds
      const shown = per === 'core' ? 'cores' : `${unit}/s`
      return { unit: shown, points: pointsOf(groups, interval, value => value * scale) }
    }
    if (!groupBy.includes('service.name')) throw new Error(`${rule.name}: per request needs service.name in groupBy`)
    const requests = await threads.call(
      'monitorRequests',
      { tenant, from: start, to, step: interval, limits: LIMITS },
      { tenant, signal },
    )
    const counts = new Map(requests.map(({ service, time, count }) => [`${service} ${time}`, count]))
    const points = pointsOf(groups, interval, (value, labels, time) => {
      const count = counts.get(`${labels['service.name'] ?? ''} ${time}`) ?? 0
      return count === 0 ? undefined : value / count
    })
    return { unit, points }
  }

  async #ledgerPoints(
    tenant: string,
    rule: RecordingRule,
    start: bigint,
    to: bigint,
    signal: AbortSignal,
  ): Promise<RecordedPoints> {
    const { operation = '', service } = rule.ledger ?? {}
    const interval = intervalOf(rule)
    const common = { tenant, operation, groupBy: rule.groupBy ?? [], step: interval, limits: LIMITS }
    const part = interval > LEDGER_PART ? interval : (LEDGER_PART / interval) * interval
    const points: RecordedPoint[] = []
    for (let from = start; from < to; from += part) {
      const end = from + part < to ? from + part : to
      const task = { ...common, from, to: end, ...(service === undefined ? {} : { service }) }
      for (const { labels, kind, from: begin, ...histogram } of await this.#options.threads.call(
        'monitorLedger',
        task,
        { tenant, signal },
      ))
        points.push({
          labels: { ...labels, [ENTRY_LABEL]: kind },
          time: begin + interval,
          value: histogram.sum / histogram.count,
          histogram,
        })
    }
    return { unit: 's', points }
  }

  async #store(tenant: string, rule: RecordingRule, points: RecordedPoints, interval: bigint): Promise<void> {
    if (points.points.length > 0) await this.#options.storeMetrics(tenant, metricsJson(rule, points, interval))
  }

  async #send(url: string, rule: RecordingRule, points: RecordedPoints, interval: bigint): Promise<void> {
    if (points.points.length === 0) return
    const { fetch: send = fetch } = this.#options
    const address = url.endsWith('/v1/metrics') ? url : `${url.replace(/\/+$/, '')}/v1/metrics`
    const response = await send(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'hearth' },
      body: JSON.stringify(metricsJson(rule, points, interval)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`${address} responded with ${response.status}`)
  }

  /** The end of the last interval whose profiles have arrived. */
  #settled(interval: bigint): bigint {
    const now = BigInt((this.#options.now?.() ?? Date.now()) - LATE_MS) * 1_000_000n
    return (now / interval) * interval
  }

  #of(tenant: string): RecordingFile {
    const known = this.#tenants.get(tenant)
    if (known !== undefined) return known
    const read = this.#options.files.read(tenant) ?? { rules: {} }
    this.#tenants.set(tenant, read)
    return read
  }

  async #set(tenant: string, name: string, range: RecordedRange): Promise<void> {
    const state = { rules: { ...this.#of(tenant).rules, [name]: range } }
    this.#tenants.set(tenant, state)
    await this.#options.files.writeSoon(tenant, state)
  }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function intervalOf({ interval = DEFAULT_INTERVAL }: RecordingRule): bigint {
  return BigInt(Math.max(1000, durationMs(interval))) * 1_000_000n
}

function pointsOf(
  groups: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly points: readonly { readonly time: bigint; readonly value: number }[]
  }[],
  interval: bigint,
  value: (value: number, labels: Readonly<Record<string, string>>, time: bigint) => number | undefined,
): RecordedPoint[] {
  return groups.flatMap(({ labels, points }) =>
    points.flatMap(point => {
      const own = value(point.value, labels, point.time)
      return own === undefined ? [] : [{ labels, time: point.time + interval, value: own }]
    }),
  )
}

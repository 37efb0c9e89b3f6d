// Opens all parts of the monitor and schedules their work.
import { join } from 'node:path'
import { z } from 'zod'
import type { SharedCopies } from '../broker/state-file.ts'
import { StateFiles } from '../broker/state-file.ts'
import type { TaskRunner } from '../query/threads/query-task.ts'
import { QueryError } from '../query/query-error.ts'
import type { Alert, AlertRule } from './alerts/alert-rule.ts'
import { Alerts, alertFile } from './alerts/alerts.ts'
import type { ReadValues } from './alerts/breaches.ts'
import { findingFile } from './findings/finding.ts'
import { Findings } from './findings/findings.ts'
import { Regressions } from './findings/regressions.ts'
import type { MonitorTasks, MonitoredSeries } from './monitor-tasks.ts'
import { logsOf } from './notify/notification.ts'
import { Outbox, outboxFile } from './notify/outbox.ts'
import type { Report } from './reports/report.ts'
import { makeReport, reportHtml, reportMarkdown, reportTitle } from './reports/report.ts'
import { Recorder } from './rules/recorder.ts'
import { recordingFile } from './rules/recording-rule.ts'
import { RuleStore, storedRules } from './rules/rule-store.ts'
import { Scheduler } from './scheduler.ts'

export interface MonitorOptions {
  readonly dataDirectory: string
  readonly threads: TaskRunner<MonitorTasks>
  /** Tenants with data. */
  readonly tenants: () => Promise<readonly string[]>
  readonly defaultTenant: string
  /** The YAML file with rules. */
  readonly ruleFile: string | undefined
  readonly publicUrl: string
  /** See Recorder. */
  readonly sendTo: string | undefined
  /** Stores OTLP in JSON for the tenant. */
  readonly store: (tenant: string, signal: 'logs' | 'metrics', json: object) => Promise<void>
  /** Starts a capture for an alert and returns its id. */
  readonly capture: (tenant: string, rule: AlertRule, alert: Alert) => Promise<string>
  /** The state of the monitor in a store that several servers share. */
  readonly shared?: SharedCopies | undefined
  /** Whether this server does the periodic work; see Scheduler. */
  readonly isLeader: () => boolean | Promise<boolean>
  /** The price of a core for an hour, and its currency. */
  readonly price: number | undefined
  readonly currency: string
  /** How often services are compared, rules evaluated and messages sent. */
  readonly periodMs: number
  readonly onError: (error: unknown, job: string) => void
  readonly now?: () => number
}

const reportFile = z.strictObject({ sent: z.string() })
const REPORT_PERIOD_MS = 600_000
const WEEK_MS = 7 * 86_400_000
/** Reports are sent on Monday at 6:00 UTC. The first Monday of 1970 was January 5. */
const FIRST_REPORT_MS = 4 * 86_400_000 + 6 * 3_600_000
const SEND_MS = 2000

export class Monitor {
  readonly scheduler: Scheduler
  readonly rules: RuleStore
  readonly findings: Findings
  readonly alerts: Alerts
  readonly outbox: Outbox
  readonly recorder: Recorder
  readonly #options: MonitorOptions
  readonly #regressions: Regressions
  readonly #reports: StateFiles<{ sent: string }>
  readonly #files: readonly { settled(): Promise<void> }[]

  /** Throws RuleError if the rule file is invalid. */
  constructor(options: MonitorOptions) {
    this.#options = options
    const { threads, ruleFile, defaultTenant, publicUrl, store, sendTo, now } = options
    const clock = now === undefined ? {} : { now }
    const files = <State>(name: string, schema: z.ZodType<State>): StateFiles<State> =>
      new StateFiles(join(options.dataDirectory, 'monitor'), name, schema, options.shared)
    const onError = (job: string) => (error: unknown) => options.onError(error, job)
    const state = {
      rules: files('rules', storedRules),
      findings: files('findings', findingFile),
      outbox: files('outbox', outboxFile),
      alerts: files('alerts', alertFile),
      recording: files('recording', recordingFile),
      reports: files('reports', reportFile),
    }
    this.#files = Object.values(state)
    this.#reports = state.reports
    this.rules = new RuleStore({ files: state.rules, file: ruleFile, defaultTenant, onError: onError('rules') })
    this.findings = new Findings({ files: state.findings, ...clock })
    this.outbox = new Outbox({
      files: state.outbox,
      receiver: (tenant, name) => this.rules.get(tenant, 'receivers', name),
      publicUrl,
      storeLogs: (tenant, alerts) =>
        store(tenant, 'logs', logsOf(alerts, { tenant, publicUrl, now: now?.() ?? Date.now() })),
      ...clock,
    })
    this.alerts = new Alerts({
      files: state.alerts,
      rules: tenant => this.rules.list(tenant, 'alerts'),
      receivers: tenant => this.rules.list(tenant, 'receivers'),
      findings: this.findings,
      outbox: this.outbox,
      values: readValues(threads),
      capture: options.capture,
      onError: onError('alerts'),
      ...clock,
    })
    this.recorder = new Recorder({
      threads,
      files: state.recording,
      rules: tenant => this.rules.list(tenant, 'recording'),
      storeMetrics: (tenant, json) => store(tenant, 'metrics', json),
      sendTo,
      onError: onError('recording'),
      ...clock,
    })
    this.#regressions = new Regressions({
      threads,
      findings: this.findings,
      tenants: options.tenants,
      onError: onError('regressions'),
      ...clock,
    })
    this.scheduler = new Scheduler({ isLeader: options.isLeader, onError: options.onError, ...clock })
    this.#schedule(options.periodMs)
  }

  /** `to` is in milliseconds since 1970; a week before it is reported. */
  async report(tenant: string, to: number, signal: AbortSignal): Promise<Report> {
    const { threads, price, currency } = this.#options
    const findings = this.findings.list(tenant)
    return makeReport({ threads, tenant, from: to - WEEK_MS, to, findings, price, currency, signal })
  }

  start(): void {
    this.scheduler.start()
  }

  async stop(): Promise<void> {
    await this.scheduler.stop()
    await Promise.all(this.#files.map(files => files.settled()))
  }

  #schedule(periodMs: number): void {
    const { scheduler } = this
    scheduler.add({ name: 'regressions', everyMs: periodMs, run: signal => this.#regressions.run(signal) })
    scheduler.add({
      name: 'recording',
      everyMs: periodMs,
      run: async signal => {
        this.rules.refresh()
        for (const tenant of this.rules.tenants()) await this.recorder.run(tenant, signal)
      },
    })
    scheduler.add({
      name: 'alerts',
      everyMs: periodMs,
      run: async signal => {
        for (const tenant of this.rules.tenants()) {
          await this.alerts.evaluate(tenant, signal)
          await this.outbox.send(tenant)
        }
      },
    })
    scheduler.add({
      name: 'messages',
      everyMs: SEND_MS,
      run: async () => {
        for (const tenant of this.outbox.tenants()) await this.outbox.send(tenant)
      },
    })
    scheduler.add({ name: 'reports', everyMs: REPORT_PERIOD_MS, run: signal => this.#sendReports(signal) })
  }

  async #sendReports(signal: AbortSignal): Promise<void> {
    const now = this.#options.now?.() ?? Date.now()
    const due = now - ((now - FIRST_REPORT_MS) % WEEK_MS)
    for (const tenant of this.rules.tenants()) {
      if (signal.aborted) return
      try {
        await this.#sendReport(tenant, due, signal)
      } catch (error) {
        // One tenant must not keep the others from getting theirs.
        this.#options.onError(error, 'reports')
      }
    }
  }

  async #sendReport(tenant: string, due: number, signal: AbortSignal): Promise<void> {
    const week = new Date(due).toISOString()
    const receivers = this.rules.list(tenant, 'receivers').filter(({ reports }) => reports === true)
    if (receivers.length === 0 || this.#reports.read(tenant)?.sent === week) return
    const report = await this.report(tenant, due, signal)
    const document = { title: reportTitle(report), markdown: reportMarkdown(report), html: reportHtml(report) }
    for (const { name } of receivers) await this.outbox.add(tenant, { receiver: name, group: {}, alerts: [], document })
    await this.#reports.writeSoon(tenant, { sent: week })
  }
}

/** Averages over the range. A profile condition has values per second, or the average of a state such as the live heap. */
function readValues(threads: TaskRunner<MonitorTasks>): ReadValues {
  return async ({ tenant, condition, groupBy, from, to, signal }) => {
    const range = { tenant, groupBy, from: BigInt(from) * 1_000_000n, to: BigInt(to) * 1_000_000n }
    const step = range.to - range.from
    const limits = { maxSeconds: 30 }
    const seconds = (to - from) / 1000
    const groupsOf = ({ unit, groups }: MonitoredSeries, scale: number) => ({
      unit,
      groups: groups.flatMap(({ labels, points }) => {
        if (points.length === 0) return []
        return [{ labels, value: (points.reduce((sum, { value }) => sum + value, 0) / points.length) * scale }]
      }),
    })
    if (condition.kind === 'profile') {
      const task = { ...range, step, limits, selector: condition.selector }
      const series = await threads.call('monitorSeries', task, { tenant, signal })
      // The live heap has a size, not a rate.
      if (series.isGauge) return groupsOf(series, 1)
      return { ...groupsOf(series, 1 / seconds), unit: `${series.unit}/s` }
    }
    if (condition.kind === 'ledger') {
      const { service, operation, entry } = condition
      const task = { ...range, step, service, operation, limits }
      const histograms = await threads.call('monitorLedger', task, { tenant, signal })
      const groups = histograms.filter(({ kind }) => kind === entry)
      return {
        unit: 'ns',
        groups: groups.map(({ labels, sum, count }) => ({
          labels: { 'service.name': service, ...labels },
          value: (1e9 * sum) / count,
        })),
      }
    }
    const { metric: name, service, selector, aggregation, quantile } = condition
    const task = {
      ...range,
      step,
      limits,
      name,
      ...(service === undefined ? {} : { service }),
      ...(selector === undefined ? {} : { selector }),
      ...(aggregation === undefined ? {} : { aggregation }),
      ...(quantile === undefined ? {} : { quantile }),
    }
    try {
      return groupsOf(await threads.call('monitorMetric', task, { tenant, signal }), 1)
    } catch (error) {
      // A metric without points in the range is absent.
      if (error instanceof QueryError && error.fault === 'not-found') return { unit: '', groups: [] }
      throw error
    }
  }
}

// Evaluates alert rules, and puts messages about changed alerts into the outbox.
import { z } from 'zod'
import { randomBytes } from 'node:crypto'
import type { StateFiles } from '../../broker/state-file.ts'
import { changeAgain } from '../../broker/state-file.ts'
import type { Findings } from '../findings/findings.ts'
import type { Outbox } from '../notify/outbox.ts'
import { ALERTMANAGER_REPEAT_MS } from '../notify/notification.ts'
import type { Alert, AlertRule, AlertReceiver, Silence } from './alert-rule.ts'
import { alert, durationMs, isSilenced, silence } from './alert-rule.ts'
import type { Breach } from './alert-states.ts'
import { nextAlerts } from './alert-states.ts'
import type { ReadValues } from './breaches.ts'
import { breachesOf } from './breaches.ts'

export const alertFile = z.strictObject({
  alerts: z.array(alert),
  silences: z.array(silence),
  /** When a receiver was last told about an alert, in milliseconds since 1970. */
  told: z.record(z.string(), z.number()),
})
export type AlertFile = z.infer<typeof alertFile>

export interface AlertsOptions {
  readonly files: StateFiles<AlertFile>
  readonly rules: (tenant: string) => readonly AlertRule[]
  readonly receivers: (tenant: string) => readonly AlertReceiver[]
  readonly findings: Findings
  readonly outbox: Outbox
  readonly values: ReadValues
  /** Starts a capture and returns its id. */
  readonly capture: (tenant: string, rule: AlertRule, alert: Alert) => Promise<string>
  readonly onError: (error: unknown) => void
  readonly now?: () => number
}

const DEFAULT_REPEAT = '4h'
const DEFAULT_GROUP_BY = ['alertname']
const MAX_SILENCES = 500

export class Alerts {
  readonly #options: AlertsOptions
  readonly #tenants = new Map<string, AlertFile>()

  constructor(options: AlertsOptions) {
    this.#options = options
    options.files.onChange(tenant => this.#tenants.delete(tenant))
  }

  list(tenant: string): readonly Alert[] {
    return this.#of(tenant).alerts
  }

  silences(tenant: string): readonly Silence[] {
    return this.#of(tenant).silences.filter(({ until }) => Date.parse(until) > this.#now())
  }

  isSilenced(tenant: string, { labels }: Alert): boolean {
    return isSilenced(labels, this.#of(tenant).silences, this.#now())
  }

  async addSilence(tenant: string, spec: Omit<Silence, 'id' | 'created'>): Promise<Silence> {
    const added = { ...spec, id: randomBytes(6).toString('hex'), created: new Date(this.#now()).toISOString() }
    await changeAgain(() =>
      this.#set(tenant, {
        ...this.#of(tenant),
        silences: [added, ...this.silences(tenant)].slice(0, MAX_SILENCES),
      }),
    )
    return added
  }

  async removeSilence(tenant: string, id: string): Promise<boolean> {
    return changeAgain(async () => {
      const state = this.#of(tenant)
      const silences = state.silences.filter(each => each.id !== id)
      if (silences.length === state.silences.length) return false
      await this.#set(tenant, { ...state, silences })
      return true
    })
  }

  /** Evaluates all rules of the tenant. */
  async evaluate(tenant: string, signal: AbortSignal): Promise<void> {
    const { rules, findings, values, onError } = this.#options
    const state = this.#of(tenant)
    const active = rules(tenant).filter(({ enabled }) => enabled !== false)
    let { alerts }: { alerts: readonly Alert[] } = state
    const changed: Alert[] = []
    // Alerts of removed rules end.
    for (const name of new Set(alerts.map(({ rule }) => rule))) {
      if (active.some(rule => rule.name === name)) continue
      const ended = nextAlerts(alerts, { name, condition: { kind: 'regression' } }, [], this.#now())
      alerts = ended.alerts
      changed.push(...ended.changed)
    }
    for (const rule of active) {
      if (signal.aborted) return
      let breaches: readonly Breach[]
      try {
        breaches = await breachesOf(rule, { tenant, findings: findings.list(tenant), values, now: this.#now(), signal })
      } catch (error) {
        // The state of its alerts stays: an error is no evidence.
        onError(error)
        continue
      }
      const next = nextAlerts(alerts, rule, breaches, this.#now())
      const captured = await this.#captureFor(tenant, rule, next.changed)
      alerts = next.alerts.map(each => captured.get(each.id) ?? each)
      changed.push(...next.changed.map(each => captured.get(each.id) ?? each))
    }
    // Alerts of a rule that was removed meanwhile stay as they are. They end the next time, unless they were forgotten.
    const names = new Set(rules(tenant).map(({ name }) => name))
    const gone = new Set(active.map(({ name }) => name).filter(name => !names.has(name)))
    await changeAgain(() => {
      const now = this.#of(tenant)
      const left = now.alerts.filter(({ rule }) => gone.has(rule))
      return this.#set(tenant, { ...now, alerts: [...alerts.filter(({ rule }) => !gone.has(rule)), ...left] })
    })
    await this.#notify(
      tenant,
      active,
      changed.filter(({ rule }) => !gone.has(rule)),
    )
  }

  /** Drops the alerts of a removed rule without messages. */
  async forget(tenant: string, name: string): Promise<void> {
    await changeAgain(() => {
      const state = this.#of(tenant)
      return this.#set(tenant, { ...state, alerts: state.alerts.filter(({ rule }) => rule !== name) })
    })
  }

  async #captureFor(tenant: string, rule: AlertRule, changed: readonly Alert[]): Promise<Map<string, Alert>> {
    const captured = new Map<string, Alert>()
    if (rule.capture === undefined) return captured
    for (const each of changed) {
      if (each.state !== 'firing') continue
      try {
        captured.set(each.id, { ...each, capture: await this.#options.capture(tenant, rule, each) })
      } catch (error) {
        this.#options.onError(error)
      }
    }
    return captured
  }

  /** Each receiver gets one message per group with a changed alert, or with one that is due again. */
  async #notify(tenant: string, rules: readonly AlertRule[], changed: readonly Alert[]): Promise<void> {
    const { receivers, outbox } = this.#options
    const now = this.#now()
    const state = this.#of(tenant)
    const told = new Map(Object.entries(state.told))
    for (const receiver of receivers(tenant)) {
      const isWanted = ({ rule: name }: Alert): boolean => {
        const wanted = rules.find(rule => rule.name === name)?.receivers
        return wanted === undefined || wanted.includes(receiver.name)
      }
      const repeatMs =
        receiver.kind === 'alertmanager' ? ALERTMANAGER_REPEAT_MS : durationMs(receiver.repeat ?? DEFAULT_REPEAT)
      const shown = state.alerts.filter(
        each => each.state !== 'pending' && isWanted(each) && !isSilenced(each.labels, state.silences, now),
      )
      const keyOf = ({ id }: Alert): string => `${receiver.name} ${id}`
      const isDue = (each: Alert): boolean => {
        if (changed.some(({ id }) => id === each.id)) return each.state === 'firing' || told.has(keyOf(each))
        const last = told.get(keyOf(each))
        // An alert that was silenced when it changed is sent later.
        if (each.state === 'firing') return last === undefined || now - last >= repeatMs
        return last !== undefined
      }
      for (const [key, group] of grouped(shown, receiver.groupBy ?? DEFAULT_GROUP_BY)) {
        if (!group.some(isDue)) continue
        const sent = group.filter(each => each.state === 'firing' || isDue(each))
        await outbox.add(tenant, {
          receiver: receiver.name,
          group: JSON.parse(key) as Record<string, string>,
          alerts: sent,
        })
        for (const each of sent) {
          if (each.state === 'firing') told.set(keyOf(each), now)
          else told.delete(keyOf(each))
        }
      }
    }
    const ids = new Set(state.alerts.map(({ id }) => id))
    const kept = [...told].filter(([key]) => ids.has(key.slice(key.lastIndexOf(' ') + 1)))
    await changeAgain(() => this.#set(tenant, { ...this.#of(tenant), told: Object.fromEntries(kept) }))
  }

  #of(tenant: string): AlertFile {
    const known = this.#tenants.get(tenant)
    if (known !== undefined) return known
    const read = this.#options.files.read(tenant) ?? { alerts: [], silences: [], told: {} }
    this.#tenants.set(tenant, read)
    return read
  }

  async #set(tenant: string, state: AlertFile): Promise<void> {
    this.#tenants.set(tenant, state)
    await this.#options.files.writeSoon(tenant, state)
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }
}

/** The keys are the labels of the group as JSON. */
function grouped(alerts: readonly Alert[], by: readonly string[]): Map<string, Alert[]> {
  const groups = new Map<string, Alert[]>()
  for (const each of alerts) {
    const key = JSON.stringify(Object.fromEntries(by.map(label => [label, each.labels[label] ?? ''])))
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return groups
}

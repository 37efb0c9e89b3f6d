// The states of alerts: pending while a condition holds for less than `for`, then firing, then resolved.
//
//   condition   ····████████████······
//   state           pending│firing│resolved
import { createHash } from 'node:crypto'
import type { Alert, AlertRule } from './alert-rule.ts'
import { durationMs } from './alert-rule.ts'

/** A group of values for which the condition of a rule holds now. */
export interface Breach {
  readonly labels: Readonly<Record<string, string>>
  readonly value?: number
  readonly summary: string
  readonly finding?: string
}

export interface AlertChanges {
  readonly alerts: readonly Alert[]
  /** Alerts that began to fire or were resolved. */
  readonly changed: readonly Alert[]
}

/** Resolved alerts are shown for a day. */
const KEPT_MS = 86_400_000

/** `breaches` has all groups of the rule for which its condition holds. */
export function nextAlerts(
  alerts: readonly Alert[],
  rule: AlertRule,
  breaches: readonly Breach[],
  now: number,
): AlertChanges {
  const time = new Date(now).toISOString()
  const others = alerts.filter(each => each.rule !== rule.name)
  const own = new Map(alerts.filter(each => each.rule === rule.name).map(each => [each.id, each]))
  const next: Alert[] = []
  const changed: Alert[] = []
  for (const { labels, ...breach } of breaches) {
    const all = { ...labels, ...rule.labels, alertname: rule.name }
    const id = idOf(all, breach.finding)
    if (next.some(each => each.id === id)) continue
    const known = own.get(id)
    const isKnown = known !== undefined && known.state !== 'resolved'
    const since = isKnown ? known.since : time
    const isFiring = now - Date.parse(since) >= durationMs(rule.for ?? '0s')
    const kept = isKnown
      ? { ...(known.fired && { fired: known.fired }), ...(known.capture && { capture: known.capture }) }
      : {}
    const alert: Alert = {
      id,
      rule: rule.name,
      labels: all,
      since,
      ...breach,
      ...kept,
      state: isFiring ? 'firing' : 'pending',
      ...(isFiring && kept.fired === undefined ? { fired: time } : {}),
    }
    if (isFiring && known?.state !== 'firing') changed.push(alert)
    next.push(alert)
    own.delete(id)
  }
  for (const known of own.values()) {
    if (known.state === 'pending') continue
    if (known.state === 'resolved') {
      if (now - Date.parse(known.resolved ?? time) < KEPT_MS) next.push(known)
      continue
    }
    const alert: Alert = { ...known, state: 'resolved', resolved: time }
    changed.push(alert)
    next.push(alert)
  }
  return { alerts: [...next, ...others], changed }
}

function idOf(labels: Readonly<Record<string, string>>, finding: string | undefined): string {
  const text = JSON.stringify([Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)), finding ?? ''])
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

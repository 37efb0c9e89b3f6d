// Retention by age and size for each signal: `profiles=30d,50GiB traces=7d`, or `30d` for all signals.
import type { Signal } from '@hearth/signals'
import { SIGNALS } from '@hearth/signals'
import { ValueError, duration, size } from './setting-values.ts'

/** An undefined limit does not apply. */
export interface RetentionLimits {
  readonly ageMs?: number | undefined
  readonly bytes?: number | undefined
}

export type RetentionSetting = Readonly<Partial<Record<Signal, RetentionLimits | undefined>>>

export function retention(text: string): RetentionSetting {
  const result: Partial<Record<Signal, RetentionLimits>> = {}
  for (const part of text.split(/\s+/).filter(word => word !== '')) {
    const equals = part.indexOf('=')
    const keep = keepOf(part.slice(equals + 1))
    const names = equals === -1 ? SIGNALS : [signalNamed(part.slice(0, equals))]
    for (const name of names) result[name] = keep
  }
  if (Object.keys(result).length === 0)
    throw new ValueError("retention is empty; write '30d' or 'profiles=30d,50GiB traces=7d'")
  return result
}

function signalNamed(name: string): Signal {
  const signal = SIGNALS.find(known => known === name)
  if (signal === undefined) throw new ValueError(`unknown signal '${name}'; expected one of ${SIGNALS.join(', ')}`)
  return signal
}

function keepOf(text: string): RetentionLimits {
  if (text === 'forever') return {}
  let keep: RetentionLimits = {}
  for (const part of text.split(',')) {
    if (/(?:B)$/.test(part)) keep = { ...keep, bytes: size(part) }
    else keep = { ...keep, ageMs: duration(part) }
  }
  if (keep.ageMs !== undefined && keep.ageMs < 3_600_000)
    throw new ValueError(`'${text}' is too short; the minimum is 1h`)
  if (keep.bytes === 0) throw new ValueError(`'${text}' is too small; the size must not be 0`)
  return keep
}

/** The text form that `retention` reads. */
export function retentionText(value: RetentionSetting): string {
  const parts = SIGNALS.flatMap(signal => {
    const keep = value[signal]
    if (keep === undefined) return []
    const limits = [
      keep.ageMs === undefined ? '' : durationText(keep.ageMs),
      keep.bytes === undefined ? '' : `${keep.bytes}B`,
    ]
    const text = limits.filter(limit => limit !== '').join(',')
    return [`${signal}=${text === '' ? 'forever' : text}`]
  })
  return parts.join(' ')
}

function durationText(ms: number): string {
  for (const [unit, length] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const)
    if (ms % length === 0) return `${ms / length}${unit}`
  return `${ms}ms`
}

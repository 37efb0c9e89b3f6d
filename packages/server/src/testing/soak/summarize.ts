// Whether the measurements of a soak stay flat.
import type { CutRequest } from './slow-clients.ts'

export interface SoakSample {
  readonly minute: number
  readonly descriptors: number
  /** Resident, in bytes. */
  readonly memory: number
  readonly temporaryFiles: number
  readonly cpuSeconds: number
  readonly requests: number
  readonly queries: number
}

interface FigureRange {
  readonly least: number
  readonly most: number
  /** Medians of the quarters of the time. */
  readonly quarters: readonly number[]
}

export interface Summary {
  readonly descriptors: FigureRange
  readonly memoryMB: FigureRange
  readonly temporaryFiles: FigureRange
  readonly cpuCores: number
  readonly cuts: Readonly<Record<string, { readonly count: number; readonly least: number; readonly most: number }>>
  readonly problems: readonly string[]
}

/** Caches fill in this part of the time. */
const WARM_UP = 0.1
const MAX_GROWTH = 1.15
/** Seconds after which a slow client must be cut: the default of `client-timeout`, and some for a busy machine. */
const MAX_CUT_SECONDS = 70

export function summarize(measured: readonly SoakSample[], cuts: readonly CutRequest[]): Summary {
  const warm = measured.slice(Math.floor(measured.length * WARM_UP))
  const descriptors = rangeOf(warm.map(each => each.descriptors))
  const memoryMB = rangeOf(warm.map(each => Math.round(each.memory / 1e6)))
  const temporaryFiles = rangeOf(warm.map(each => each.temporaryFiles))
  const problems: string[] = []
  for (const [name, range, slack] of [
    ['descriptors', descriptors, 10],
    ['memory', memoryMB, 0],
    ['temporary files', temporaryFiles, 10],
  ] as const) {
    const [, early, , late] = range.quarters
    if (late > early * MAX_GROWTH + slack) problems.push(`${name} grew from ${early} to ${late}`)
  }
  const byKind: Record<string, { count: number; least: number; most: number }> = {}
  for (const { kind, seconds } of cuts) {
    const { count, least, most } = byKind[kind] ?? { count: 0, least: Infinity, most: 0 }
    byKind[kind] = { count: count + 1, least: Math.min(least, seconds), most: Math.max(most, seconds) }
    if (seconds > MAX_CUT_SECONDS) problems.push(`${kind}: cut after ${seconds.toFixed(1)} s`)
  }
  const [first, last] = [warm[0], warm[warm.length - 1]]
  const cpuCores = (last.cpuSeconds - first.cpuSeconds) / ((last.minute - first.minute) * 60)
  return { descriptors, memoryMB, temporaryFiles, cpuCores: Math.round(cpuCores * 100) / 100, cuts: byKind, problems }
}

function rangeOf(values: readonly number[]): FigureRange {
  const quarter = Math.ceil(values.length / 4)
  const quarters = [0, 1, 2, 3].map(q => median(values.slice(q * quarter, (q + 1) * quarter)))
  return { least: Math.min(...values), most: Math.max(...values), quarters }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

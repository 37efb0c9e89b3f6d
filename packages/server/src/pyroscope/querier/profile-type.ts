// The profile types of Pyroscope's clients, and the stored series that each of them represents.
//
//   process_cpu:cpu:nanoseconds:cpu:nanoseconds
//     series of cpu in nanoseconds (`ns` is another spelling) whose profiles are named process_cpu, or have no name
//     series that only count samples at a period of CPU time, each value multiplied by its period
//
// Profilers that send only OTLP use the second form. If the same sender also measures time, as pprof files of Go do,
// its counts stay counts.
import { canonicalUnit } from '@hearth/profile'
import type { SeriesRow } from '../../query/select/series-rows.ts'
import type { Matcher } from '../../query/selector/selector.ts'
import { badQuery } from '../../receive/refusal.ts'
import { PYROSCOPE_ATTRIBUTES } from '../series-labels.ts'
import type { TypeLabel } from './labels/label-names.ts'

export interface PyroscopeType {
  /** For example `process_cpu`. */
  readonly name: string
  readonly sampleType: string
  readonly sampleUnit: string
  readonly periodType: string
  readonly periodUnit: string
}

export function typeId({ name, sampleType, sampleUnit, periodType, periodUnit }: PyroscopeType): string {
  return [name, sampleType, sampleUnit, periodType, periodUnit].join(':')
}

function partsOf(text: string): readonly string[] | undefined {
  const parts = text.split(':')
  // Parca appends a sixth part to types of differences.
  if (parts.length === 6 && parts[5] === 'delta') parts.pop()
  return parts.length === 5 && parts[1] !== '' ? parts : undefined
}

export function isTypeId(text: string): boolean {
  return partsOf(text) !== undefined
}

/** Throws Refusal. */
export function parseTypeId(text: string): PyroscopeType {
  const parts = partsOf(text)
  if (parts === undefined) {
    const shown = JSON.stringify(text.slice(0, 200))
    throw badQuery(`${shown} is not a profile type; use five parts such as process_cpu:cpu:nanoseconds:cpu:nanoseconds`)
  }
  const [name, sampleType, sampleUnit, periodType, periodUnit] = parts
  return { name, sampleType, sampleUnit: unitName(sampleUnit), periodType, periodUnit: unitName(periodUnit) }
}

export function typeLabel(type: PyroscopeType, label: TypeLabel): string {
  switch (label) {
    case '__profile_type__':
      return typeId(type)
    case '__name__':
      return type.name
    case '__type__':
      return type.sampleType
    case '__unit__':
      return type.sampleUnit
    case '__period_type__':
      return type.periodType
    case '__period_unit__':
      return type.periodUnit
  }
}

/** Pyroscope's spelling of units. */
const UNIT_NAMES: ReadonlyMap<string, string> = new Map([
  ['ns', 'nanoseconds'],
  ['us', 'microseconds'],
  ['ms', 'milliseconds'],
  ['s', 'seconds'],
  ['By', 'bytes'],
  ['1', 'count'],
])

function unitName(unit: string): string {
  if (unit === '') return ''
  const canonical = canonicalUnit(unit)
  return part(UNIT_NAMES.get(canonical) ?? canonical.replace(/^\{(.*)\}$/, '$1'))
}

/** Replaces characters that cannot stand between colons, or in a query of type and labels. */
function part(text: string): string {
  return text.replaceAll(/[:{}"\s]/g, '_')
}

/** Names by type, for profiles without a name. Other profiles are named by their type. */
const NAMES: readonly (readonly [types: RegExp, name: string])[] = [
  [/^(?:cpu|samples?|itimer)$/, 'process_cpu'],
  [/^wall$/, 'wall'],
  [/^(?:alloc|inuse|live|malloc)(?:_|$)|^(?:space|objects)$/, 'memory'],
  [/^(?:contentions|delay|mutex.*)$/, 'mutex'],
  [/^block.*$/, 'block'],
  [/^goroutines?$/, 'goroutine'],
  [/^off[_-]?cpu$/, 'off_cpu'],
]

function nameFor(type: string): string {
  return NAMES.find(([types]) => types.test(type))?.[1] ?? part(type)
}

/** The type of a series' profiles that have this name, or no name if it is undefined. */
export function typeOfSeries(row: SeriesRow, name: string | undefined, byPeriod: boolean): PyroscopeType {
  if (byPeriod && name === undefined) return CPU_TIME
  return {
    name: name === undefined ? nameFor(row.type) : part(name),
    sampleType: part(row.type),
    sampleUnit: unitName(row.unit),
    periodType: part(row.periodType),
    periodUnit: unitName(row.periodUnit),
  }
}

const CPU_TIME: PyroscopeType = {
  name: 'process_cpu',
  sampleType: 'cpu',
  sampleUnit: 'nanoseconds',
  periodType: 'cpu',
  periodUnit: 'nanoseconds',
}

/** The series that count samples of CPU time and whose sender does not measure time. */
export function countedByPeriod(series: readonly SeriesRow[]): ReadonlySet<bigint> {
  const sender = ({ resource, scope }: SeriesRow) => `${resource} ${scope}`
  const measured = new Set(
    series.filter(({ type, unit }) => type === 'cpu' && canonicalUnit(unit) === 'ns').map(sender),
  )
  const counted = series.filter(
    row =>
      (row.type === 'samples' || row.type === 'sample') &&
      ['1', '{samples}'].includes(canonicalUnit(row.unit)) &&
      row.periodType === 'cpu' &&
      canonicalUnit(row.periodUnit) === 'ns' &&
      !measured.has(sender(row)),
  )
  return new Set(counted.map(row => row.id))
}

/** Stored profiles of a type: series, and a matcher that selects among their profiles. */
export interface TypePart {
  readonly series: ReadonlySet<bigint>
  readonly matcher: Matcher | undefined
  /** Whether values are counts, to be multiplied by the period. */
  readonly byPeriod: boolean
}

const ON_PROFILES = { level: 'profile', key: PYROSCOPE_ATTRIBUTES.name, position: 0 } as const

/** Several parts only if some senders count samples and others measure time. */
export function partsOfType(wanted: PyroscopeType, series: readonly SeriesRow[]): TypePart[] {
  const counted = countedByPeriod(series)
  const named: Matcher = { kind: 'value', ...ON_PROFILES, operator: '=', value: wanted.name, valuePosition: 0 }
  const unnamed: Matcher = { kind: 'presence', ...ON_PROFILES, present: false }
  const either: Matcher = { ...named, operator: '!=', inverted: true }
  const id = typeId(wanted)
  const parts: TypePart[] = []
  const add = (rows: readonly SeriesRow[], matcher: Matcher, byPeriod: boolean): void => {
    if (rows.length > 0) parts.push({ series: new Set(rows.map(row => row.id)), matcher, byPeriod })
  }
  const sameAs = (row: SeriesRow) => typeId(typeOfSeries(row, wanted.name, false)) === id
  const isCalledSo = (row: SeriesRow) => !counted.has(row.id) && nameFor(row.type) === wanted.name
  const same = series.filter(sameAs)
  add(same.filter(isCalledSo), either, false)
  add(
    same.filter(row => !isCalledSo(row)),
    named,
    false,
  )
  if (id === typeId(CPU_TIME)) {
    add(
      series.filter(row => counted.has(row.id)),
      unnamed,
      true,
    )
  }
  return parts
}

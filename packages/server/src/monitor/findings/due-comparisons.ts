// Decides which ranges of a service are compared now.
//
// A new version is compared with the one before when it has run for 30 s after it warmed up, then at twice the time, up to a day. Each look
// may find chance, so the false discovery rate of 5 % is spent over all looks: look n gets 5 % · 6 / (π² n²). Hours are compared with the same hour of
// yesterday and last week. Their 168 looks a week share 5 % equally.
//
// Environments are compared apart: production has another load than the test system that gets a version first.
import { canonicalUnit, looksAt, rateOfLook } from '@hearth/profile'
import type { EnvironmentAttribute, ServiceVersion } from '../../query/compare/service-versions.ts'
import { ENVIRONMENT_KEYS } from '../../query/compare/service-versions.ts'
import { printText } from '../../query/selector/print-key.ts'
import type { Cursor, Deployment } from './finding.ts'

export interface ComparedRange {
  readonly selector: string
  readonly from: bigint
  readonly to: bigint
}

export interface DueComparison {
  /** Identifies the service and type in the state. */
  readonly key: string
  readonly service: string
  readonly environment: EnvironmentAttribute | undefined
  readonly type: string
  readonly comparison: 'version' | 'deployment' | 'day'
  readonly version: string
  readonly previousVersion: string
  /** The start of the change, in nanoseconds since 1970. */
  readonly since: bigint
  readonly maxRate: number
  readonly before: ComparedRange
  readonly after: ComparedRange
  /** A second baseline that must agree if it has data. */
  readonly alsoBefore?: ComparedRange
  /** The state after the comparison. */
  readonly cursor: Cursor
}

const SECOND = 1_000_000_000n
const HOUR = 3600n * SECOND
const DAY = 24n * HOUR
const WEEK = 7n * DAY
/** How far back versions are searched. */
export const LOOK_BACK = WEEK + DAY
const RATE = 0.05
const LOOKS_PER_WEEK = 168
/** The baseline has at least this length, if the version before has. */
const BASELINE = HOUR
/** Profiles of an hour arrive this much later at most. */
const LATE = 120n * SECOND
/** A process loads and compiles its code in this time after its start, so that it does not count. */
export const WARM_UP = 30n * SECOND
/** A profile covers this much time after its start. */
const PROFILE_LENGTH = 10n * SECOND

/** Times in which code waited: they follow the load, and cost nothing. Time ledgers show them. */
const WAITING = /^(?:async_wait|event_loop_delay|wait)|off.?cpu/
const WALL = /wall|elapsed/

/** Counts of samples repeat what the times beside them say. So do wall times, which also contain idle and waiting threads. */
function isSkipped({ type, unit }: ServiceVersion, all: readonly ServiceVersion[]): boolean {
  const times = all.filter(each => canonicalUnit(each.unit) === canonicalUnit('ns') && !WAITING.test(each.type))
  if (type === 'samples' && unit === 'count') return times.length > 0
  return WAITING.test(type) || (WALL.test(type) && times.some(each => !WALL.test(each.type) && CPU.test(each.type)))
}

const CPU = /cpu|^samples$/

/** The versions of two scans that may overlap, sorted by service, type and first profile. Counts of profiles are those of the larger scan. */
export function mergedVersions(
  known: readonly ServiceVersion[],
  found: readonly ServiceVersion[],
): readonly ServiceVersion[] {
  const keyOf = (each: ServiceVersion): string => JSON.stringify([groupOf(each), each.version])
  const all = new Map(known.map(version => [keyOf(version), version]))
  for (const each of found) {
    const before = all.get(keyOf(each))
    all.set(
      keyOf(each),
      before === undefined || before.last >= each.last ? (before ?? each) : { ...before, last: each.last },
    )
  }
  return [...all.values()].sort((a, b) => {
    const [x, y] = [groupOf(a), groupOf(b)]
    return x === y ? Number(a.first - b.first) : x < y ? -1 : 1
  })
}

/** For profiles that name no environment, beside others of the service that do. */
const NO_ENVIRONMENT: EnvironmentAttribute = { key: ENVIRONMENT_KEYS[0], value: '' }

/** Identifies a service, type and environment in the state. The service is the first element. */
function groupOf({ service, type, unit, environment }: ServiceVersion): string {
  return JSON.stringify([service, type, unit, environment?.value ?? ''])
}

/** `versions` are sorted by first profile within each service and type. */
export function dueComparisons(
  versions: readonly ServiceVersion[],
  deployments: readonly Deployment[],
  cursors: Readonly<Record<string, Cursor>>,
  now: bigint,
): DueComparison[] {
  const groups = new Map<string, ServiceVersion[]>()
  for (const version of versions) {
    const siblings = versions.filter(({ service }) => service === version.service)
    if (isSkipped(version, siblings)) continue
    const key = groupOf(version)
    const isMixed = version.environment === undefined && siblings.some(({ environment }) => environment !== undefined)
    groups.set(key, [...(groups.get(key) ?? []), isMixed ? { ...version, environment: NO_ENVIRONMENT } : version])
  }
  return [...groups].flatMap(([key, list]) => {
    const cursorOf = (of: string): Cursor => cursors[of] ?? { version: '', looks: 0, hour: 0 }
    // A deployment has a state of its own. Otherwise the looks of the version would begin again after each look of the deployment.
    const ofDeployment = JSON.stringify([...(JSON.parse(key) as string[]), 'deployment'])
    const deployed = afterDeployment(ofDeployment, list, deployments, cursorOf(ofDeployment))
    const changed = afterVersion(key, list, cursorOf(key))
    return [deployed, changed, ...ofHour(key, list, changed?.cursor ?? cursorOf(key), now)].filter(
      each => each !== undefined,
    )
  })
}

function afterVersion(key: string, list: readonly ServiceVersion[], cursor: Cursor): DueComparison | undefined {
  const current = list.at(-1)!
  const previous = list
    .slice(0, -1)
    .reduce<ServiceVersion | undefined>((a, b) => (a === undefined || b.last > a.last ? b : a), undefined)
  if (previous === undefined) return undefined
  const looks = looksAt(secondsOf(current.last + PROFILE_LENGTH - current.first - WARM_UP))
  const isNew = cursor.version !== current.version
  if (looks === 0 || (!isNew && looks <= cursor.looks)) return undefined
  const after = { selector: selectorOf(current), from: current.first, to: current.last + PROFILE_LENGTH }
  const to = previous.last + PROFILE_LENGTH
  const length = longer(after.to - after.from, BASELINE)
  return {
    key,
    service: current.service,
    environment: current.environment,
    type: typeOf(current),
    comparison: 'version',
    version: current.version,
    previousVersion: previous.version,
    since: current.first,
    maxRate: rateOfLook(looks),
    after,
    before: { selector: selectorOf(previous), from: to - length > previous.first ? to - length : previous.first, to },
    cursor: { ...cursor, version: current.version, looks },
  }
}

/** A deployment without a new version: the service before and after it. */
function afterDeployment(
  key: string,
  list: readonly ServiceVersion[],
  deployments: readonly Deployment[],
  cursor: Cursor,
): DueComparison | undefined {
  const current = list.at(-1)!
  const [latest] = deployments
    // Versions are compared as such.
    .filter(({ service, version }) => service === current.service && (version === '' || version !== current.version))
    .map(deployment => ({ ...deployment, at: BigInt(Date.parse(deployment.time)) * 1_000_000n }))
    // A version that began later is compared as a version.
    .filter(({ at }) => at > current.first + PROFILE_LENGTH && at < current.last)
    .sort((a, b) => Number(b.at - a.at))
  if (latest === undefined) return undefined
  const looks = looksAt(secondsOf(current.last + PROFILE_LENGTH - latest.at))
  const name = `deployment ${latest.time}`
  if (looks === 0 || (cursor.version === name && looks <= cursor.looks)) return undefined
  const selector = selectorOf(current)
  const length = longer(current.last - latest.at, BASELINE)
  return {
    key,
    service: current.service,
    environment: current.environment,
    type: typeOf(current),
    comparison: 'deployment',
    version: latest.version,
    previousVersion: '',
    since: latest.at,
    maxRate: rateOfLook(looks),
    after: { selector, from: latest.at, to: current.last + PROFILE_LENGTH },
    before: { selector, from: longer(current.first, latest.at - length), to: latest.at },
    cursor: { ...cursor, version: name, looks },
  }
}

function ofHour(key: string, list: readonly ServiceVersion[], cursor: Cursor, now: bigint): DueComparison[] {
  const hour = (now - LATE) / HOUR - 1n
  const [from, to] = [hour * HOUR, (hour + 1n) * HOUR]
  const first = list[0]
  const last = list.at(-1)!
  // Without profiles in both hours there is nothing to compare.
  if (Number(hour) <= cursor.hour || first.first > from - DAY + HOUR || last.last < from) return []
  const selector = `${typeOf(last)}{${matchersOf(last)}}`
  const shifted = (by: bigint): ComparedRange => ({ selector, from: from - by, to: to - by })
  const running = list.findLast(version => version.first < to)
  return [
    {
      key,
      service: last.service,
      environment: last.environment,
      type: typeOf(last),
      comparison: 'day',
      version: running?.version ?? '',
      previousVersion: '',
      since: from,
      maxRate: RATE / LOOKS_PER_WEEK,
      after: { selector, from, to },
      before: shifted(DAY),
      alsoBefore: shifted(WEEK),
      cursor: { ...cursor, hour: Number(hour) },
    },
  ]
}

function secondsOf(nanos: bigint): number {
  return Number(nanos) / 1e9
}

function longer(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function typeOf({ type, unit }: Pick<ServiceVersion, 'type' | 'unit'>): string {
  return `${type}:${unit}`
}

function selectorOf(version: ServiceVersion): string {
  const own = version.version === '' ? '!service.version' : `service.version=${printText(version.version)}`
  return `${typeOf(version)}{${matchersOf(version)}, ${own}}`
}

function matchersOf({ service, environment }: ServiceVersion): string {
  const own = `service.name=${printText(service)}`
  if (environment === undefined) return own
  const { key, value } = environment
  return value === ''
    ? [own, ...ENVIRONMENT_KEYS.map(each => `!${each}`)].join(', ')
    : `${own}, ${key}=${printText(value)}`
}

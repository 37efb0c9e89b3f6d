// One row per service: its most important profile type over time, changes since yesterday and since the version before, and
// its requests.
import { isGaugeType } from '@hearth/profile'
import type { ServiceRow } from '../profiles/catalog.ts'
import { services as listServices } from '../profiles/catalog.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import { SERVICE_KEYS } from '../../store/containers.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import { printKey, printText } from '../selector/print-key.ts'
import type { SeriesTotals } from '../series/series-totals.ts'
import { seriesTotals } from '../series/series-totals.ts'
import type { ServiceRequests } from './service-requests.ts'
import { serviceRequests } from './service-requests.ts'
import type { Steps } from './overview-step.ts'
import { overviewStep, versionSteps } from './overview-step.ts'
import type { RateChange } from './rate-change.ts'
import { rateChange, wholeSteps } from './rate-change.ts'

export interface ServiceOverview extends ServiceRow, StandIn {
  readonly value?: ServiceValue
  readonly sinceYesterday?: RateChange
  readonly version?: VersionChange
  readonly requests?: ServiceRequests
}

interface StandIn {
  /** Whether the name is that of the executable, because no resource has a service.name. */
  readonly isExecutable?: true
}

interface ServiceValue {
  /** `type:unit`, as in `types`. */
  readonly type: string
  readonly unit: string
  readonly sum: bigint
  /** The time that profiles cover, by steps; 0 for a state such as the live heap, whose `sum` is an average. */
  readonly seconds: number
  /** The steps with profiles, counted from the start of the range. */
  readonly steps: readonly { readonly step: number; readonly sum: number }[]
}

interface VersionChange {
  readonly current: string
  readonly previous: string
  readonly change?: RateChange
}

export interface Overview {
  /** Nanoseconds. */
  readonly step: bigint
  readonly services: readonly ServiceOverview[]
  /** Services without profiles in the range. */
  readonly older: readonly (ServiceRow & StandIn)[]
}

const SECOND = 1_000_000_000n
const DAY = 86_400n * SECOND
const FIRST_TYPES = ['cpu', 'process_cpu', 'wall', 'samples']
const SERVICE = printKey({ level: 'resource', key: 'service.name' })
const VERSION = printKey({ level: 'resource', key: 'service.version' })

export async function overview(context: QueryContext, query: Query): Promise<Overview> {
  const [present, known, requests, executables] = await Promise.all([
    listServices(context, query),
    listServices(context, { ...query, from: 0n }),
    serviceRequests(context, query),
    executableNames(context, query),
  ])
  const standIn = (service: string): StandIn => (executables.has(service) ? { isExecutable: true } : {})
  const names = new Set(present.map(each => each.service))
  const step = overviewStep(query, present)
  const ofVersions = versionSteps(query.to, step, known)
  const rows = new Map<string, Omit<ServiceOverview, keyof ServiceRow>>()
  for (const [type, services] of byPreferredType(present)) {
    for (const [name, row] of await valuesOf(context, query, type, services, step, ofVersions).catch(noneIfMixed))
      rows.set(name, row)
  }
  return {
    step,
    services: present.map(each => {
      const found = requests.get(each.service)
      return {
        ...each,
        ...standIn(each.service),
        ...rows.get(each.service),
        ...(found === undefined ? {} : { requests: found }),
      }
    }),
    older: known.filter(each => !names.has(each.service)).map(each => ({ ...each, ...standIn(each.service) })),
  }
}

/** The services of the tenant whose resources all have no service.name, so that their executable stands in for it. */
async function executableNames(context: QueryContext, query: Query): Promise<ReadonlySet<string>> {
  const running = new RunningQuery(context.engine, query)
  const values = new Values()
  const block = await running.selectSymbols(
    'resources',
    `SELECT toString(service) AS name FROM resources WHERE tenant = ${values.text(running.tenant)} AND service != '' ` +
      `GROUP BY service HAVING countIf(has(attribute_keys, ${values.text(SERVICE_KEYS[0])})) = 0`,
    values.all,
  )
  return new Set(Array.from({ length: block.rows }, (_, row) => block.column('name').text(row)))
}

/** Profiles that cannot be added up have no value in the overview. The services are listed anyway. */
function noneIfMixed(error: unknown): ReadonlyMap<string, Omit<ServiceOverview, keyof ServiceRow>> {
  if (error instanceof QueryError && error.fault.startsWith('mixed-')) return new Map()
  throw error
}

/** The services by the type that represents them. */
function byPreferredType(services: readonly ServiceRow[]): ReadonlyMap<string, readonly string[]> {
  const byType = new Map<string, string[]>()
  for (const { service, types } of services) {
    const type = preferred(types)
    byType.set(type, [...(byType.get(type) ?? []), service])
  }
  return byType
}

function preferred(types: readonly string[]): string {
  const place = (type: string): number => {
    const at = FIRST_TYPES.indexOf(nameOf(type))
    return at < 0 ? FIRST_TYPES.length : at
  }
  // Times come before counts: cpu:ns before cpu:count.
  const isCount = (type: string): number => (/:(?:count|1|)$/.test(type) ? 1 : 0)
  return types.toSorted((a, b) => place(a) - place(b) || isCount(a) - isCount(b))[0]
}

function nameOf(type: string): string {
  return type.slice(0, Math.max(0, type.lastIndexOf(':'))) || type
}

async function valuesOf(
  context: QueryContext,
  query: Query,
  type: string,
  services: readonly string[],
  step: bigint,
  ofVersions: Steps,
): Promise<ReadonlyMap<string, Omit<ServiceOverview, keyof ServiceRow>>> {
  const at = type.lastIndexOf(':')
  const selector = `${printText(type.slice(0, at))}:${printText(type.slice(at + 1))}`
  const typeQuery = { ...query, selector, asTime: true }
  const { from, to } = query
  const yesterday = { ...typeQuery, from: from > DAY ? from - DAY : 0n, to: to > DAY ? to - DAY : 0n }
  const now = await seriesTotals(context, typeQuery, { step, groupBy: [SERVICE] })
  const before = await seriesTotals(context, yesterday, { step, groupBy: [SERVICE] })
  const seen = { ...typeQuery, from: ofVersions.from }
  const versions = await seriesTotals(context, seen, { step: ofVersions.step, groupBy: [SERVICE, VERSION] })
  const isGauge = isGaugeType(nameOf(type))
  const [rates, ratesBefore] = [ratesOf(now), ratesOf(before)]
  return new Map(
    services.map(service => {
      const value = valueOf(now, service, type, from, isGauge)
      const change = rateChange(ratesBefore.get(service) ?? [], rates.get(service) ?? [])
      const version = versionChange(versions, service)
      return [
        service,
        {
          ...(value === undefined ? {} : { value }),
          ...(change === undefined ? {} : { sinceYesterday: change }),
          ...(version === undefined ? {} : { version }),
        },
      ]
    }),
  )
}

function valueOf(
  { groups, step, unit }: SeriesTotals,
  service: string,
  type: string,
  from: bigint,
  isGauge: boolean,
): ServiceValue | undefined {
  const group = groups.find(({ labels }) => textOf(labels[0]) === service)
  if (group === undefined) return undefined
  const steps = group.points.map(point => ({ step: Number((point.time - from) / step), sum: Number(point.sum) }))
  const sum = group.points.reduce((all, point) => all + point.sum, 0n)
  const count = BigInt(Math.max(1, group.points.length))
  const seconds = isGauge ? 0 : Number(step * count) / 1e9
  return { type, unit, sum: isGauge ? sum / count : sum, seconds, steps }
}

/** The sums of whole steps by service. */
function ratesOf({ groups }: SeriesTotals): ReadonlyMap<string, readonly number[]> {
  return new Map(
    groups.map(({ labels, points }) => [textOf(labels[0]), wholeSteps(points.map(({ sum }) => Number(sum)))]),
  )
}

/** The change from the version that was seen before the latest one; undefined if there is only one. */
export function versionChange({ groups }: Pick<SeriesTotals, 'groups'>, service: string): VersionChange | undefined {
  const seen = groups
    .filter(({ labels }) => textOf(labels[0]) === service && textOf(labels[1]) !== '')
    .map(({ labels, points }) => ({
      version: textOf(labels[1]),
      first: points[0]?.time ?? 0n,
      rates: wholeSteps(points.map(({ sum }) => Number(sum))),
    }))
    .toSorted((a, b) => Number(b.first - a.first))
  const [current, previous] = seen
  if (previous === undefined) return undefined
  const change = rateChange(previous.rates, current.rates)
  return { current: current.version, previous: previous.version, ...(change === undefined ? {} : { change }) }
}

function textOf(label: unknown): string {
  return typeof label === 'string' ? label : ''
}

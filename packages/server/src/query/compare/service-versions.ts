// The versions of every service, environment and profile type, with the time in which each has profiles.
import { compareTexts } from '@hearth/profile'
import type { QueryContext } from '../query-context.ts'
import { present } from '../profiles/catalog.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import { attributeKey } from '../select/attribute-key.ts'
import { resolve } from '../select/selection.ts'
import { Grouping } from '../select/series-grouping.ts'

/** The attributes that name the environment in which a service runs: today's, and the one before. */
export const ENVIRONMENT_KEYS = ['deployment.environment.name', 'deployment.environment'] as const

export interface EnvironmentAttribute {
  readonly key: (typeof ENVIRONMENT_KEYS)[number]
  readonly value: string
}

export interface ServiceVersion {
  readonly service: string
  readonly type: string
  readonly unit: string
  /** The attribute of the environment, such as production; undefined if there is none. */
  readonly environment: EnvironmentAttribute | undefined
  /** `service.version`; empty if there is none. */
  readonly version: string
  /** The times of the first and the last profile, in nanoseconds since 1970. */
  readonly first: bigint
  readonly last: bigint
  readonly profiles: number
}

/** Sorted by service, type and first profile. */
export async function serviceVersions(context: QueryContext, query: Query): Promise<ServiceVersion[]> {
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  const keys = ['service.version', ...ENVIRONMENT_KEYS].map(key => attributeKey(`resource:${key}`))
  const grouping = await Grouping.of(running, keys, selection.series)
  const found = new Map<string, ServiceVersion>()
  for (const { row, profiles, first, last } of await present(context, selection)) {
    const [label, ...environments] = grouping.labels(
      grouping.ownOf(row.id),
      keys.map(() => 0),
    )
    const version = label?.text ?? ''
    const at = environments.findIndex(each => each !== undefined && each.text !== '')
    const environment = at === -1 ? undefined : { key: ENVIRONMENT_KEYS[at], value: environments[at]!.text }
    const { service, type, unit } = row
    const key = JSON.stringify([service, type, unit, version, environment])
    const known = found.get(key)
    found.set(key, {
      service,
      type,
      unit,
      environment,
      version,
      first: known === undefined || first < known.first ? first : known.first,
      last: known === undefined || last > known.last ? last : known.last,
      profiles: profiles + (known?.profiles ?? 0),
    })
  }
  return [...found.values()].sort(
    (a, b) =>
      compareTexts(a.service, b.service) ||
      compareTexts(a.type, b.type) ||
      compareTexts(a.unit, b.unit) ||
      Number(a.first - b.first),
  )
}

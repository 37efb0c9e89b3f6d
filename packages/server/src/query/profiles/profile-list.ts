// Lists the profiles of a query in pages, and reads one whole profile.
import type { Profiles } from '@hearth/profile'
import { readProfiles } from '../../store/profiles/read-profiles.ts'
import {
  REFERENCE_COLUMNS,
  parseReference,
  printReference,
  referenceAt,
  referenceCondition,
} from '../select/profile-reference.ts'
import { profilesWhere } from '../select/profiles-where.ts'
import { QueryError, unknownCursor } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { resolve } from '../select/selection.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { MissingSymbols } from './missing-symbols.ts'

interface ProfileRow {
  /** The reference for reading it whole; see profile-reference.ts. */
  readonly profile: string
  readonly service: string
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
  readonly period: bigint
  readonly time: bigint
  readonly duration: bigint
  /** Hex; empty if the profile has none. */
  readonly profileId: string
  /** The sum of all samples; the limit of 64 bits if `overflowed`. */
  readonly total: bigint
  readonly overflowed: boolean
  readonly samples: number
  readonly observations: number
}

export interface ListProfilesChoice {
  /** 100 unless given. */
  readonly limit?: number
  /** The end of the previous page. */
  readonly after?: string
}

export interface ProfileList {
  /** Latest first. */
  readonly profiles: readonly ProfileRow[]
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
}

const COLUMNS = [
  ...REFERENCE_COLUMNS,
  'service',
  'type',
  'unit',
  'period_type',
  'period_unit',
  'period',
  'time',
  'duration_nano',
  'lower(hex(profile_id)) AS id_text',
  'total',
  'overflowed',
  'samples',
  'observations',
].join(', ')
/** The sort key of the list. A page begins where the previous one ended. */
const ORDER = ['time', ...REFERENCE_COLUMNS].join(', ')
const MAX_PROFILES = 10_000

export async function listProfiles(
  context: QueryContext,
  query: Query,
  { limit = 100, after }: ListProfilesChoice = {},
): Promise<ProfileList> {
  checkCount('limit', limit, MAX_PROFILES)
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  const values = new Values()
  const beyond = after === undefined ? '' : ` AND ${pageCondition(values, after)}`
  const block = await running.select(
    `SELECT ${COLUMNS} FROM profiles WHERE ${profilesWhere(selection, values)}${beyond} ` +
      `ORDER BY ${ORDER.split(', ')
        .map(name => `${name} DESC`)
        .join(', ')} LIMIT ${limit + 1}`,
    values.all,
  )
  const profiles: ProfileRow[] = []
  for (let row = 0; row < Math.min(block.rows, limit); row++) {
    const text = (name: string) => block.column(name).text(row)
    profiles.push({
      profile: printReference(referenceAt(block, row)),
      service: text('service'),
      type: text('type'),
      unit: text('unit'),
      periodType: text('period_type'),
      periodUnit: text('period_unit'),
      period: block.column('period').bigint(row),
      time: block.column('time').bigint(row),
      duration: block.column('duration_nano').bigint(row),
      profileId: text('id_text'),
      total: block.column('total').bigint(row),
      overflowed: block.column('overflowed').number(row) !== 0,
      samples: block.column('samples').number(row),
      observations: block.column('observations').number(row),
    })
  }
  const last = profiles.at(-1)
  const next = block.rows > limit && last !== undefined ? `${last.time}.${last.profile}` : undefined
  return { profiles, next }
}

function pageCondition(values: Values, cursor: string): string {
  const match = /^(\d{1,19})\.(.+)$/.exec(cursor)
  if (match === null) throw unknownCursor(cursor)
  const { series, request, received, scopeIndex, itemIndex } = parseReference(match[2])
  return (
    `(${ORDER}) < (${values.time(BigInt.asIntN(64, BigInt(match[1])))}, ${values.add('UInt64', series)}, ` +
    `${values.add('FixedString(16)', request)}, ${values.time(received)}, ` +
    `${values.add('UInt32', scopeIndex)}, ${values.add('UInt32', itemIndex)})`
  )
}

/** One complete profile, but for symbols that are counted as missing. Throws QueryError if it does not exist. */
export async function wholeProfile(
  context: QueryContext,
  query: Pick<Query, 'tenant' | 'signal' | 'limits'>,
  profile: string,
  missing?: MissingSymbols,
): Promise<Profiles> {
  const running = new RunningQuery(context.engine, { ...query, from: 0n, to: 0n })
  const values = new Values()
  const where = referenceCondition(values, parseReference(profile))
  const { tenant, signal } = query
  const options = {
    where,
    parameters: values.all,
    ...(signal === undefined ? {} : { signal }),
    ...(missing === undefined ? {} : { onFault: missing.onFault }),
  }
  for await (const found of readProfiles(running.limitedEngine, tenant, options)) return found
  throw new QueryError('not-found', `no profile ${profile}`)
}

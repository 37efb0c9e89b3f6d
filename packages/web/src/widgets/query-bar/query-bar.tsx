// The query bar: service, profile type, filters by attribute and stack, and time range. Each change applies immediately.
import type { ProfileTypesResponse } from '@hearth/client'
import { canonicalUnit } from '@hearth/profile'
import type { JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import { EMPTY_QUERY, hasSnapshots, selectorOf } from '../../address/query.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { TimeRange } from '../../address/time-range.ts'
import { absolute, timeText } from '../../address/time-range.ts'
import { Combo } from '../controls/combo.tsx'
import { counted } from '../counted.ts'
import { formatMoment, millisOf } from '../format-time.ts'
import { typeTitle } from '../type-title.ts'
import { FilterChips } from './filter-chips.tsx'
import { SnapshotSelect } from './snapshot-select.tsx'
import { TimeRangePicker } from './time-range-picker.tsx'
import './query-bar.css'

export interface QueryBarProps {
  readonly query: Query
  readonly onQuery: (query: Query) => void
  /** A prefix of the field labels, for screens with two bars. */
  readonly name?: string
  /** Runs the query again. A range that ends now moves on. */
  readonly onRefresh?: () => void
  /** The time that relative times refer to, in milliseconds since 1970. Changes with each load. */
  readonly now: number
}

/** Counts of samples with a period in time are shown as that time: `cpu (samples)`. */
function sampledTitle(key: string, types: ProfileTypesResponse['profileTypes']): string {
  const rows = types.filter(each => `${each.type}:${each.unit}` === key)
  const [first] = rows
  const isTime = rows.every(
    ({ unit, periodType, periodUnit }) =>
      canonicalUnit(unit) === '1' && canonicalUnit(periodUnit) === 'ns' && periodType === first.periodType,
  )
  return isTime && (first?.periodType ?? '') !== '' ? `${first.periodType} time (${first.type})` : typeTitle(key)
}

const HOUR = 3_600_000

/** The range that ends with a profile. */
function hourUntil(last: number): TimeRange {
  return { from: timeText(last - HOUR), to: timeText(last + 60_000) }
}

/** The value of the option for all services. An empty value would show an empty field. */
const ALL = '\u0000all'

export function QueryBar({ query, onQuery, name = '', onRefresh, now }: QueryBarProps): JSX.Element {
  const { from, to, receivedBefore } = absolute(query, now)
  const range = `${from}:${to}:${now}`
  const services = useLoaded(`services:${range}`, async signal => {
    return (await client.peek().query('services', { from, to, receivedBefore }, { signal })).services
  })
  const known = useLoaded('all-services', async signal => {
    return (await client.peek().query('services', { from: '0', to: 'now+1d' }, { signal })).services
  })
  const present = new Set(services.value?.map(each => each.service))
  const older = services.value === undefined ? [] : (known.value ?? []).filter(each => !present.has(each.service))
  const scope = { ...EMPTY_QUERY, service: query.service, from, to }
  const types = useLoaded(`types:${query.service}:${range}`, async signal => {
    const selector = selectorOf(scope)
    return (await client.peek().query('profileTypes', { selector, from, to, receivedBefore }, { signal })).profileTypes
  })
  const typeNames = [...new Set((types.value ?? []).map(each => `${each.type}:${each.unit}`))].sort()
  // Units have several spellings, and the type of the query can be absent in this range.
  const shownType = typeNames.find(each => typeTitle(each) === typeTitle(query.type)) ?? query.type
  return (
    <div class="query-bar" data-rove>
      <Combo
        label={`${name}Service`}
        width={170}
        value={query.service === '' ? ALL : query.service}
        options={[
          { value: ALL, title: 'All services' },
          ...(services.value ?? [])
            .filter(each => each.service !== '')
            .map(each => ({ value: each.service, note: counted(each.profiles, 'profile') })),
          ...older
            .filter(each => each.service !== '')
            .map(each => ({ value: each.service, note: `last ${formatMoment(millisOf(each.last))}` })),
        ]}
        onChoose={chosen => {
          const service = chosen === ALL ? '' : chosen
          const last = older.find(each => each.service === service)?.last
          // A service without data in this range is shown at its last profile.
          if (last !== undefined) return onQuery({ ...query, ...hourUntil(millisOf(last)), service, type: '' })
          const has = services.value?.find(each => each.service === service)?.types.includes(query.type) ?? true
          // A service without this profile type shows its preferred type.
          return onQuery({ ...query, service, type: has ? query.type : '' })
        }}
        empty="No services in this range"
      />
      <Combo
        label={`${name}Profile type`}
        width={170}
        value={shownType}
        shown={typeTitle(shownType)}
        placeholder="Profile type"
        options={typeNames.map(value => ({ value, title: sampledTitle(value, types.value ?? []) }))}
        onChoose={type => onQuery({ ...query, type })}
        empty="No profiles in this range"
      />
      {hasSnapshots(query) && (
        <SnapshotSelect name={name} mode={query.snapshots} onMode={snapshots => onQuery({ ...query, snapshots })} />
      )}
      <FilterChips query={query} onQuery={onQuery} name={name} now={now} />
      <span class="spring" />
      <TimeRangePicker
        name={name}
        range={{ from: query.from, to: query.to }}
        onRange={chosen => onQuery({ ...query, ...chosen })}
        onRefresh={onRefresh}
      />
    </div>
  )
}

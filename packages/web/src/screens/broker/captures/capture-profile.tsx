// The merged profile of all instances of a capture, or the profile of one instance.
import type { Capture } from '@hearth/client'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { ServerSource } from '../../../api/server-source.ts'
import type { CaptureRoute } from '../../../address/broker-route.ts'
import type { Filter, Query } from '../../../address/query.ts'
import { EMPTY_QUERY, selectorOf } from '../../../address/query.ts'
import { tracesWith } from '../../../address/route.ts'
import { navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { preciseTime } from '../../../address/time-range.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { ProfileView } from '../../../widgets/profile-view/profile-view.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { typeTitle } from '../../../widgets/type-title.ts'
import { preferredType } from '../../../api/preferred-type.ts'

export interface CaptureProfileProps {
  readonly route: CaptureRoute
  readonly capture: Capture
}

/** An attribute of each profile of a capture. */
const CAPTURE_ID = 'profiling.capture.id'

export function CaptureProfile({ route, capture }: CaptureProfileProps): JSX.Element {
  const { of, shown, view } = route
  const api = client.value
  const all = queryOf(capture, of)
  const key = `${selectorOf(all)}:${all.from}:${all.to}`
  const types = useLoaded(`capture-types:${key}`, async signal => {
    const { from, to } = all
    const request = { selector: selectorOf(all), from, to }
    return (await client.peek().query('profileTypes', request, { signal })).profileTypes
  })
  const found = types.value ?? []
  const wanted = found.find(each => each.type === capture.type)
  const first = wanted === undefined ? preferredType(found) : `${wanted.type}:${wanted.unit}`
  const names = [...new Set(found.map(each => `${each.type}:${each.unit}`))]
  const type = names.includes(shown) ? shown : (first ?? '')
  const source = useMemo(() => new ServerSource(api, { ...all, type }, 0), [api, key, type])
  if (types.error !== undefined && !types.loading) return <Failure error={types.error} onRetry={types.retry} />
  if (types.value === undefined) return <Progress of={types} what="Loading profiles" />
  if (type === '') {
    return (
      <div class="reading empty">
        <h1>Profiles expired</h1>
        <p>The profiles of this capture were deleted by the retention limits.</p>
        <button type="button" onClick={types.retry}>
          Refresh
        </button>
      </div>
    )
  }
  return (
    <div class="capture-profile">
      {names.length > 1 && (
        <div class="bar">
          <Tabs
            label="Profile type"
            options={names.map(value => ({ value, title: typeTitle(value) }))}
            value={type}
            onChange={next => navigate({ ...route, shown: next, view: { ...view, focus: [] } })}
          />
        </div>
      )}
      <ProfileView
        source={source}
        view={view}
        onView={(next, how) => navigate({ ...route, view: next }, how)}
        onTraces={of => navigate(tracesWith(of, { ...all, service: capture.service }))}
        name={`${capture.service}-${capture.type}-${capture.id.slice(0, 8)}`}
        empty={<p class="reading">No samples</p>}
      />
    </div>
  )
}

function queryOf({ id, from = '0', to = '0' }: Capture, of: string): Query {
  const filters: Filter[] = [{ key: CAPTURE_ID, operator: '=', value: id }]
  if (of !== '') filters.push({ key: 'service.instance.id', operator: '=', value: of })
  return { ...EMPTY_QUERY, filters, from: preciseTime(BigInt(from)), to: preciseTime(BigInt(to)) }
}

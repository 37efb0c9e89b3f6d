// The details of a span: header, attributes, events, links, and its profile values.
import type { Attribute, SpanDetails, TraceColumns } from '@hearth/client'
import { formatDuration, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { attributeText, profileIdOf, valueText } from '../../../api/value-text.ts'
import { TRACE } from '../../../address/route.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import type { DetailRow } from '../../../widgets/detail-list.tsx'
import { DetailList } from '../../../widgets/detail-list.tsx'
import { formatMoment } from '../../../widgets/format-time.ts'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { sentDetails } from '../../../widgets/sent-details.ts'
import { NamedProfileLink } from '../../links/named-profile-link.tsx'
import { oddityText } from './oddity-text.ts'
import type { SpanValues } from './span-values.ts'
import { typeTitle } from '../../../widgets/type-title.ts'

export interface SpanDetailsPanelProps {
  readonly trace: TraceColumns
  readonly row: number
  readonly details: Loaded<SpanDetails>
  readonly values: readonly SpanValues[]
  /** The values of samples without a link. Undefined if they were not requested. */
  readonly unlinked: readonly SpanValues[] | undefined
  /** How far the clock correction moved the span, in nanoseconds. */
  readonly moved: number
}

export function SpanDetailsPanel({ trace, row, details, values, unlinked, moved }: SpanDetailsPanelProps): JSX.Element {
  const { spans } = trace
  const resource = trace.resources[spans.resource[row]]
  const scope = trace.scopes[spans.scope[row]]
  const millis = Number(BigInt.asUintN(64, spans.start[row]) / 1_000_000n)
  const oddities = spans.oddities(row)
  const header: DetailRow[] = [
    { key: 'service', value: spans.service(row) },
    { key: 'kind', value: spans.kind(row) },
    { key: 'status', value: [spans.status(row), spans.statusMessage(row)].filter(each => each !== '').join(': ') },
    { key: 'start', value: formatMoment(millis) },
    { key: 'duration', value: spans.hasEnd(row) ? formatDuration(spans.duration[row]) : 'no end' },
    { key: 'self', value: formatDuration(spans.self[row]) },
    { key: 'span ID', value: spans.id(row) },
    ...(spans.parentId(row) === '' ? [] : [{ key: 'parent', value: spans.parentId(row) }]),
    ...(moved === 0 ? [] : [{ key: 'clock correction', value: formatDuration(moved) }]),
    ...sentDetails(details.value ?? {}),
  ]
  const skew = spans.skew[row]
  return (
    <div class="span-details">
      <Progress of={details} what="Loading the span" />
      {oddities.length > 0 && (
        <ul class="span-oddities">
          {oddities.map(each => (
            <li key={each}>{oddityText(each)}</li>
          ))}
          {skew !== 0n && <li>Clock skew relative to its parent: {formatDuration(skew)}</li>}
        </ul>
      )}
      <DetailList title={spans.name(row) || 'Span'} properties={header} />
      <SpanProfileTable row={row} values={values} unlinked={unlinked} />
      <DetailList title="Attributes" properties={detailRows(details.value?.attributes ?? [], millis)} />
      <Events details={details.value} start={spans.start[row]} millis={millis} />
      <Links details={details.value} millis={millis} />
      <DetailList
        title="Resource"
        properties={[
          ...detailRows(resource?.attributes ?? [], millis),
          ...sentDetails({ droppedAttributes: resource?.droppedAttributes ?? 0 }),
        ]}
      />
      <DetailList
        title={scope === undefined || scope.name === '' ? 'Scope' : `Scope ${scope.name} ${scope.version}`}
        properties={[
          ...detailRows(scope?.attributes ?? [], millis),
          ...sentDetails({ droppedAttributes: scope?.droppedAttributes ?? 0 }),
        ]}
      />
    </div>
  )
}

function detailRows(attributes: readonly Attribute[], around: number): DetailRow[] {
  const profile = profileIdOf(attributes)
  return attributes.map(({ key, value }) => ({
    key,
    value:
      profile !== '' && (key === 'profile_id' || key === 'profile.id') ? (
        <NamedProfileLink id={profile} around={around} />
      ) : (
        valueText(value)
      ),
  }))
}

function SpanProfileTable({
  row,
  values,
  unlinked = [],
}: Pick<SpanDetailsPanelProps, 'row' | 'values' | 'unlinked'>): JSX.Element {
  const rows = [...values.map(of => ({ of, isLinked: true })), ...unlinked.map(of => ({ of, isLinked: false }))].filter(
    ({ of }) => of.subtreeSamples[row] > 0,
  )
  return (
    <section>
      <h2>Profiles</h2>
      {rows.length === 0 ? (
        <p class="muted">No samples</p>
      ) : (
        <table class="span-profiles">
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col" class="number">
                Span
              </th>
              <th scope="col" class="number">
                Including children
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ of, isLinked }) => (
              <tr key={`${of.key}${isLinked}`}>
                <td title={of.key}>
                  {typeTitle(`${of.type}:${of.unit}`)}
                  {!isLinked && <span class="muted"> by thread and time</span>}
                </td>
                <td class="number" title={`${of.samples[row].toLocaleString('en')} samples`}>
                  {of.samples[row] === 0 ? '' : formatValue(of.value[row], of.unit)}
                </td>
                <td class="number" title={`${of.subtreeSamples[row].toLocaleString('en')} samples`}>
                  {formatValue(of.subtreeValue[row], of.unit)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

interface DetailProps {
  readonly details: SpanDetails | undefined
  readonly millis: number
}

function Events({ details, start, millis }: DetailProps & { readonly start: bigint }): JSX.Element {
  const events = details?.events ?? []
  if (events.length === 0) return <></>
  return (
    <section>
      <h2>Events</h2>
      {events.map(({ time, name, attributes, droppedAttributes = 0 }, i) => (
        <DetailList
          key={i}
          title={`${name} at ${formatDuration(BigInt(time) - start)}`}
          properties={[...detailRows(attributes, millis), ...sentDetails({ droppedAttributes })]}
        />
      ))}
    </section>
  )
}

function Links({ details, millis }: DetailProps): JSX.Element {
  const links = details?.links ?? []
  if (links.length === 0) return <></>
  return (
    <section>
      <h2>Links</h2>
      {links.map(({ traceId, spanId, attributes, ...sent }, i) => (
        <div key={i}>
          <RouteLink class="code" to={{ ...TRACE, traceId, spanId }} title={`trace ${traceId}, span ${spanId}`}>
            {traceId}
          </RouteLink>
          {attributes.length + sentDetails(sent).length > 0 && (
            <DetailList
              title={attributeText(attributes, 'name')}
              properties={[...sentDetails(sent), ...detailRows(attributes, millis)]}
            />
          )}
        </div>
      ))}
    </section>
  )
}

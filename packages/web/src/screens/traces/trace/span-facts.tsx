// Everything that a span says of itself, and what profiles saw of it.
import type { Attribute, SpanDetails, TraceColumns } from '@hearth/client'
import { formatDuration, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { attributeText, profileIdOf, valueText } from '../../../api/value-text.ts'
import { TRACE } from '../../../address/route.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import type { Fact } from '../../../widgets/facts.tsx'
import { Facts } from '../../../widgets/facts.tsx'
import { formatMoment } from '../../../widgets/format-time.ts'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { NamedProfileLink } from '../../links/named-profile-link.tsx'
import { oddityText } from './oddity-text.ts'
import type { SpanValues } from './span-values.ts'

export interface SpanFactsProps {
  readonly trace: TraceColumns
  readonly row: number
  readonly details: Loaded<SpanDetails>
  readonly values: readonly SpanValues[]
  /** Of samples without a link; undefined where they were not asked for. */
  readonly unlinked: readonly SpanValues[] | undefined
  /** By how much it was moved for clocks that differ, in nanoseconds. */
  readonly moved: number
}

export function SpanFacts({ trace, row, details, values, unlinked, moved }: SpanFactsProps): JSX.Element {
  const { spans } = trace
  const resource = trace.resources[spans.resource[row]]
  const scope = trace.scopes[spans.scope[row]]
  const millis = Number(BigInt.asUintN(64, spans.start[row]) / 1_000_000n)
  const oddities = spans.oddities(row)
  const header: Fact[] = [
    { key: 'service', value: spans.service(row) },
    { key: 'kind', value: spans.kind(row) },
    { key: 'status', value: [spans.status(row), spans.statusMessage(row)].filter(each => each !== '').join(': ') },
    { key: 'start', value: formatMoment(millis) },
    { key: 'duration', value: spans.hasEnd(row) ? formatDuration(spans.duration[row]) : 'no end' },
    { key: 'self', value: formatDuration(spans.self[row]) },
    { key: 'span id', value: spans.id(row) },
    ...(spans.parentId(row) === '' ? [] : [{ key: 'parent', value: spans.parentId(row) }]),
    ...(moved === 0 ? [] : [{ key: 'moved by', value: formatDuration(moved) }]),
  ]
  const skew = spans.skew[row]
  return (
    <div class="span-facts">
      <Progress of={details} what="Reading the span" />
      {oddities.length > 0 && (
        <ul class="span-oddities">
          {oddities.map(each => (
            <li key={each}>{oddityText(each)}</li>
          ))}
          {skew !== 0n && <li>Moving it by {formatDuration(skew)} would put it into its parent</li>}
        </ul>
      )}
      <Facts title={spans.name(row)} properties={header} />
      <SpanProfileTable row={row} values={values} unlinked={unlinked} />
      <Facts title="Attributes" properties={factsOf(details.value?.attributes ?? [], millis)} />
      <Events details={details.value} start={spans.start[row]} millis={millis} />
      <Links details={details.value} millis={millis} />
      <Facts title="Resource" properties={factsOf(resource?.attributes ?? [], millis)} />
      <Facts
        title={scope === undefined || scope.name === '' ? 'Scope' : `Scope ${scope.name} ${scope.version}`}
        properties={factsOf(scope?.attributes ?? [], millis)}
      />
    </div>
  )
}

function factsOf(attributes: readonly Attribute[], around: number): Fact[] {
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
}: Pick<SpanFactsProps, 'row' | 'values' | 'unlinked'>): JSX.Element {
  const seen = [...values.map(of => ({ of, isLinked: true })), ...unlinked.map(of => ({ of, isLinked: false }))].filter(
    ({ of }) => of.subtreeSamples[row] > 0,
  )
  return (
    <section>
      <h2>Profiles</h2>
      {seen.length === 0 ? (
        <p class="muted">No sample was taken in it or below it</p>
      ) : (
        <table class="span-profiles">
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col" class="number">
                Span
              </th>
              <th scope="col" class="number">
                With below
              </th>
            </tr>
          </thead>
          <tbody>
            {seen.map(({ of, isLinked }) => (
              <tr key={`${of.key}${isLinked}`}>
                <td title={of.key}>
                  {of.type}
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
      {events.map(({ time, name, attributes }, i) => (
        <Facts
          key={i}
          title={`${name} at ${formatDuration(BigInt(time) - start)}`}
          properties={factsOf(attributes, millis)}
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
      {links.map(({ traceId, spanId, attributes }, i) => (
        <div key={i}>
          <RouteLink class="code" to={{ ...TRACE, traceId, spanId }} title={`trace ${traceId}, span ${spanId}`}>
            {traceId}
          </RouteLink>
          {attributes.length > 0 && (
            <Facts title={attributeText(attributes, 'name')} properties={factsOf(attributes, millis)} />
          )}
        </div>
      ))}
    </section>
  )
}

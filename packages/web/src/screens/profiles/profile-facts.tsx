// What a profile says of itself, and whether it keeps the rules of the format.
import { formatDuration, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { EMPTY_QUERY } from '../../query.ts'
import { EXPLORE } from '../../route.ts'
import { timeText } from '../../time-range.ts'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/icon.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import type { FileDetails, Link, ProfileDetails, Property, RuleProblem } from '../../worker/messages.ts'

const LISTED_LINKS = 20
const MARGIN_MS = 1000

export function ProfileFacts({ details }: { readonly details: FileDetails }): JSX.Element {
  const [profile] = details.profiles
  return (
    <aside class="profile-facts scrolls" aria-label="Facts" tabIndex={0}>
      {profile !== undefined && (
        <>
          <Facts title="Profile" properties={headerOf(profile)} />
          <Facts title="Attributes" properties={profile.attributes} />
          <Facts title="Resource" properties={profile.resource} />
          <Facts title="Scope" properties={profile.scope} />
        </>
      )}
      <Links links={details.links} all={details.allLinks} around={profile} />
      <Validation problems={details.problems} />
    </aside>
  )
}

function headerOf(profile: ProfileDetails): Property[] {
  const { type, unit, time, duration, period, samples, observations, total, shape, id, originalFormat } = profile
  const rows = [
    ['type', `${type}, in ${unit}`],
    ['total', formatValue(total, unit)],
    ['time', time === 0n ? '' : formatMoment(millisOf(time))],
    ['recorded for', duration === 0n ? '' : formatDuration(duration)],
    ['period', period],
    ['samples', samples.toLocaleString('en')],
    ['observations', observations.toLocaleString('en')],
    ['shape', shape],
    ['id', id],
    ['was sent as', originalFormat],
  ] as const
  return rows.filter(([, value]) => value !== '').map(([key, value]) => ({ key, value }))
}

function Facts({
  title,
  properties,
}: {
  readonly title: string
  readonly properties: readonly Property[]
}): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      {properties.length === 0 && <p class="muted">none</p>}
      <dl>
        {properties.map(({ key, value }, i) => (
          <div key={`${i}-${key}`}>
            <dt title={key}>{key}</dt>
            <dd class="code">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

interface LinksProps {
  readonly links: readonly Link[]
  readonly all: number
  readonly around: ProfileDetails | undefined
}

/** Each leads to what else was recorded of its trace at the time. */
function Links({ links, all, around }: LinksProps): JSX.Element {
  const time = around === undefined ? 0 : millisOf(around.time)
  const end = around === undefined ? 0 : time + millisOf(around.duration)
  return (
    <section>
      <h2>Traces ({all.toLocaleString('en')})</h2>
      {links.length === 0 && <p class="muted">none</p>}
      <ul class="profile-links">
        {links.slice(0, LISTED_LINKS).map(({ traceId, spanId }) => (
          <li key={`${traceId}${spanId}`}>
            <RouteLink
              class="code"
              title={`trace ${traceId}, span ${spanId}`}
              to={{
                ...EXPLORE,
                query: {
                  ...EMPTY_QUERY,
                  type: around === undefined ? '' : `${around.type}:${around.unit}`,
                  filters: [{ key: 'trace.id', operator: '=', value: traceId }],
                  from: timeText(time - MARGIN_MS),
                  to: timeText(end + MARGIN_MS),
                },
              }}
            >
              {traceId}
            </RouteLink>
          </li>
        ))}
      </ul>
      {all > LISTED_LINKS && <p class="muted">and {(all - LISTED_LINKS).toLocaleString('en')} more</p>}
    </section>
  )
}

function Validation({ problems }: { readonly problems: readonly RuleProblem[] }): JSX.Element {
  return (
    <section>
      <h2>Rules of the format</h2>
      {problems.length === 0 ? (
        <p class="profile-valid">
          <Icon name="check" /> all are kept
        </p>
      ) : (
        <ul class="profile-problems">
          {problems.map(({ rule, level, path, message }, i) => (
            <li key={i}>
              <strong>{rule}</strong> <span class="muted">{level}</span>
              <br />
              {message} <span class="code muted">{path}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

// The details of a profile: header, attributes, resource, links to logs and traces, and problems found by validation.
import { formatDuration, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { serviceOf } from '../../api/service-of.ts'
import { LOGS, TRACE } from '../../address/route.ts'
import { EMPTY_LOG_SEARCH } from '../../address/signal-searches.ts'
import { timeText } from '../../address/time-range.ts'
import { DetailList } from '../../widgets/detail-list.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import type { FileDetails, Link, ProfileDetails, Property, RuleProblem } from '../../worker/messages.ts'

const LISTED_LINKS = 20
const MARGIN_MS = 1000
const DAY_MS = 86_400_000

export function ProfileDetailsPanel({ details }: { readonly details: FileDetails }): JSX.Element {
  const [profile] = details.profiles
  return (
    <aside class="profile-details scrolls" aria-label="Details" tabIndex={0}>
      {profile !== undefined && (
        <>
          <DetailList title="Profile" properties={headerOf(profile)} />
          <DetailList title="Attributes" properties={profile.attributes} />
          <DetailList title="Resource" properties={profile.resource} />
          <DetailList title="Scope" properties={profile.scope} />
        </>
      )}
      {profile !== undefined && <Logs profile={profile} />}
      <Links links={details.links} all={details.allLinks} />
      <Validation problems={details.problems} />
    </aside>
  )
}

function headerOf(profile: ProfileDetails): Property[] {
  const { type, unit, time, duration, period, samples, observations, total, shape, id, originalFormat } = profile
  const rows = [
    ['type', typeTitle(`${type}:${unit}`)],
    ['total', formatValue(total, unit)],
    ['time', time === 0n ? '' : formatMoment(millisOf(time))],
    ['duration', duration === 0n ? '' : formatDuration(duration)],
    ['period', period],
    ['samples', samples.toLocaleString('en')],
    ['observations', observations.toLocaleString('en')],
    ['shape', shape],
    ['profile ID', id],
    ['original format', originalFormat],
  ] as const
  return rows.filter(([, value]) => value !== '').map(([key, value]) => ({ key, value }))
}

/** Links to the logs that name the profile, and to the logs of its service at that time. */
function Logs({ profile }: { readonly profile: ProfileDetails }): JSX.Element {
  const { time, duration, id, resource } = profile
  const start = millisOf(time)
  const service = serviceOf(resource)
  const during = { from: timeText(start - MARGIN_MS), to: timeText(start + millisOf(duration) + MARGIN_MS) }
  const around = { from: timeText(start - DAY_MS), to: timeText(start + DAY_MS) }
  return (
    <section>
      <h2>Logs</h2>
      <ul class="profile-links">
        {id !== '' && (
          <li>
            <RouteLink to={{ ...LOGS, search: { ...EMPTY_LOG_SEARCH, profile: id, ...around } }}>
              Logs with this profile ID
            </RouteLink>
          </li>
        )}
        <li>
          <RouteLink to={{ ...LOGS, search: { ...EMPTY_LOG_SEARCH, service, ...during } }}>
            Logs of this service at this time
          </RouteLink>
        </li>
      </ul>
    </section>
  )
}

interface LinksProps {
  readonly links: readonly Link[]
  readonly all: number
}

function Links({ links, all }: LinksProps): JSX.Element {
  return (
    <section>
      <h2>Traces ({all.toLocaleString('en')})</h2>
      {links.length === 0 && <p class="muted">None</p>}
      <ul class="profile-links">
        {links.slice(0, LISTED_LINKS).map(({ traceId, spanId }) => (
          <li key={`${traceId}${spanId}`}>
            <RouteLink class="code" title={`trace ${traceId}, span ${spanId}`} to={{ ...TRACE, traceId, spanId }}>
              {traceId}
            </RouteLink>
          </li>
        ))}
      </ul>
      {all > LISTED_LINKS && <p class="muted">{(all - LISTED_LINKS).toLocaleString('en')} more</p>}
    </section>
  )
}

function Validation({ problems }: { readonly problems: readonly RuleProblem[] }): JSX.Element {
  return (
    <section>
      <h2>Validation</h2>
      {problems.length === 0 ? (
        <p class="profile-valid">
          <Icon name="check" /> No problems
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

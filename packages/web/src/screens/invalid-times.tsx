// Shown for an address whose times are invalid.
import type { JSX } from 'preact'
import { DEFAULT_FROM, DEFAULT_TO } from '../address/query.ts'
import type { Route } from '../address/route.ts'
import { withRanges } from '../address/route-times.ts'
import { navigate } from '../state/navigation.ts'
import { Icon } from '../widgets/controls/icon.tsx'
import '../widgets/failure.css'

export function InvalidTimes({
  route,
  problems,
}: {
  readonly route: Route
  readonly problems: readonly string[]
}): JSX.Element {
  return (
    <div class="failure" role="alert">
      <h1>
        <Icon name="warning" /> Invalid time in the address
      </h1>
      {problems.map(each => (
        <p key={each} class="code">
          {each}
        </p>
      ))}
      <p class="muted">Use a time such as now-1h, now, or 2026-11-18T14:05:09Z.</p>
      <div class="failure-buttons">
        <button
          type="button"
          class="primary"
          onClick={() => navigate(withRanges(route, range => ({ ...range, from: DEFAULT_FROM, to: DEFAULT_TO })))}
        >
          Show the last hour
        </button>
      </div>
    </div>
  )
}

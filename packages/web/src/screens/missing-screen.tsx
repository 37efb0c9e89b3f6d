// Shown for an address that no screen has.
import type { JSX } from 'preact'
import { EXPLORE, SERVICES } from '../address/route.ts'
import { linkTo } from '../state/areas.ts'
import { RouteLink } from '../widgets/route-link.tsx'

export function MissingScreen({ path }: { readonly path: string }): JSX.Element {
  return (
    <div class="reading">
      <h1>Not found: “{path}”</h1>
      <p>No screen has this address. The link may be incomplete, or from a newer version of Hearth.</p>
      <p>
        <RouteLink to={linkTo(SERVICES)}>Go to Services</RouteLink> ·{' '}
        <RouteLink to={linkTo(EXPLORE)}>Go to Explore</RouteLink>
      </p>
    </div>
  )
}

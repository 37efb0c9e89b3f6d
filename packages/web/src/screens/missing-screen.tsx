// Shown for a path that no screen has.
import type { JSX } from 'preact'
import { EXPLORE } from '../address/route.ts'
import { RouteLink } from '../widgets/route-link.tsx'

export function MissingScreen({ path }: { readonly path: string }): JSX.Element {
  return (
    <div class="reading">
      <h1>Page not found: “{path}”</h1>
      <p>
        The link may be from a newer version of Hearth. <RouteLink to={EXPLORE}>Go to Explore</RouteLink>
      </p>
    </div>
  )
}

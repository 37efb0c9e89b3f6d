// Links below a list that the server returns in pages.
import type { JSX } from 'preact'
import type { ProfilesRoute, TracesRoute } from '../address/route.ts'
import './page-links.css'
import { RouteLink } from './route-link.tsx'

export interface PageLinksProps {
  readonly route: ProfilesRoute | TracesRoute
  /** The title of the link to the first page. */
  readonly first: string
  /** The key of the next page; undefined on the last. */
  readonly next: string | undefined
}

export function PageLinks({ route, first, next }: PageLinksProps): JSX.Element {
  return (
    <p class="page-links">
      {route.after !== '' && (
        <RouteLink class="button" to={{ ...route, after: '' }}>
          {first}
        </RouteLink>
      )}
      {next !== undefined && (
        <RouteLink class="button" to={{ ...route, after: next }}>
          Next page
        </RouteLink>
      )}
    </p>
  )
}

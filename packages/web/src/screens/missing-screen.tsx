// An address that no screen has.
import type { JSX } from 'preact'
import { EXPLORE } from '../address/route.ts'
import { RouteLink } from '../widgets/route-link.tsx'

export function MissingScreen({ path }: { readonly path: string }): JSX.Element {
  return (
    <div class="reading">
      <h1>Nothing is at “{path}”</h1>
      <p>
        The address may be of a newer Hearth. <RouteLink to={EXPLORE}>Look at profiles</RouteLink>
      </p>
    </div>
  )
}

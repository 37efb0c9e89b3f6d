// The direct callers or callees of a function, each with a link to its own page.
import type { CallTree } from '@hearth/profile'
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { FunctionRoute } from '../../address/route.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { relatedOf } from './function-data.ts'
import '../../widgets/breakdown/breakdown.css'

export interface RelatedFunctionsProps {
  readonly tree: CallTree
  readonly what: string
  readonly route: FunctionRoute
}

export function RelatedFunctions({ tree, what, route }: RelatedFunctionsProps): JSX.Element {
  const related = useMemo(() => relatedOf(tree), [tree])
  if (related.length === 0) return <p class="reading muted">No {what.toLowerCase()}</p>
  const most = related[0].total || 1
  return (
    <div class="breakdown-bars">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col" class="number">
              Total
            </th>
            <th scope="col" class="number">
              Share of this function
            </th>
          </tr>
        </thead>
        <tbody>
          {related.map(({ name, file, total }) => (
            <tr key={`${name}\n${file}`}>
              <td class="breakdown-bar" style={{ '--share': `${(total / most) * 100}%` }}>
                <RouteLink class="code" to={{ ...route, name, file }} title={file}>
                  {name}
                </RouteLink>
              </td>
              <td class="number">{formatValue(total, tree.unit)}</td>
              <td class="number">{formatShare(total, Number(tree.sum))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

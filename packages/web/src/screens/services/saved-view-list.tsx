// The saved views of the tenant.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { deleteView, loadViews, routeOfView, savedViews } from '../../state/saved-views.ts'
import { handleUnauthorized } from '../../state/session.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'

export function SavedViewList(): JSX.Element {
  const [problem, setProblem] = useState('')
  useEffect(() => void loadViews(), [])
  const views = savedViews.value ?? []
  if (views.length === 0) return <></>
  const remove = (id: string): void => {
    deleteView(id).then(
      () => setProblem(''),
      (error: unknown) => {
        handleUnauthorized(error)
        setProblem(error instanceof Error ? error.message : String(error))
      },
    )
  }
  return (
    <nav class="saved-views" aria-label="Saved views">
      <span class="muted">Saved views</span>
      {views.map(view => (
        <span key={view.id} class="chip" title={`Saved by ${view.by}`}>
          <RouteLink to={routeOfView(view)}>{view.name}</RouteLink>
          <button type="button" aria-label={`Delete view ${view.name}`} onClick={() => remove(view.id)}>
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      {problem !== '' && (
        <span role="alert" class="muted">
          {problem}
        </span>
      )}
    </nav>
  )
}

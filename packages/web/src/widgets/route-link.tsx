// A link within the page: the same as any, but without loading the page anew.
import type { ComponentChildren, JSX } from 'preact'
import type { Route } from '../address/route.ts'
import { hrefOf, navigate } from '../state/navigation.ts'

export interface RouteLinkProps {
  readonly to: Route
  readonly class?: string
  readonly current?: boolean
  readonly title?: string
  readonly children: ComponentChildren
}

export function RouteLink({ to, class: className, current, title, children }: RouteLinkProps): JSX.Element {
  const onClick = (event: MouseEvent): void => {
    // Those that open another tab are the browser's.
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a
      href={hrefOf(to)}
      class={className}
      title={title}
      aria-current={current === true ? 'page' : undefined}
      onClick={onClick}
    >
      {children}
    </a>
  )
}

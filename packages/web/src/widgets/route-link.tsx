// A link within the application. It changes the route without loading the page again.
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
    // The browser handles clicks that open another tab.
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

// The panel beside a list, with the details of the selected item.
import type { ComponentChildren, JSX } from 'preact'
import { Icon } from '../../widgets/controls/icon.tsx'

export interface SidePanelProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function SidePanel({ title, onClose, children }: SidePanelProps): JSX.Element {
  return (
    <aside class="broker-panel" aria-label={title}>
      <div class="bar">
        <strong class="broker-panel-title" title={title}>
          {title}
        </strong>
        <button type="button" class="plain icon" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="scrolls broker-panel-body" tabIndex={0} role="region" aria-label={`Details of ${title}`}>
        {children}
      </div>
    </aside>
  )
}

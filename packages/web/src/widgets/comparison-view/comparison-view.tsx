// Two sets of profiles against each other, whatever they come from: as one graph with the change in colour, side by side, and
// as a table of functions.
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ComparisonSource } from '../../api/profile-source.ts'
import type { Comparison, ShownComparison } from '../../address/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { findPath } from '../../tree/node-path.ts'
import { ROOT } from '../../tree/tree.ts'
import type { View } from '../../address/view.ts'
import { DetailBar } from '../detail-bar.tsx'
import { Failure } from '../failure.tsx'
import { FlameGraph } from '../flame-graph.tsx'
import { Menu } from '../menu.tsx'
import type { ActionTarget } from '../profile-view/frame-actions.ts'
import { frameActions } from '../profile-view/frame-actions.ts'
import { PathBar } from '../profile-view/path-bar.tsx'
import { orderFor, useShownTree } from '../profile-view/use-shown-tree.ts'
import { Progress } from '../progress.tsx'
import { Tabs } from '../tabs.tsx'
import { DiffScale } from './diff-scale.tsx'
import { DiffTable } from './diff-table.tsx'
import { NewAndGone } from './new-and-gone.tsx'
import { SideBySide } from './side-by-side.tsx'
import './comparison-view.css'

export interface ComparisonViewProps {
  readonly source: ComparisonSource
  readonly comparison: Comparison
  readonly onComparison: (comparison: Comparison, how?: 'push' | 'replace') => void
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  readonly empty: ComponentChildren
}

const SHOWS: readonly { readonly value: ShownComparison; readonly title: string }[] = [
  { value: 'diff', title: 'Difference' },
  { value: 'side', title: 'Side by side' },
  { value: 'table', title: 'Table' },
]

interface OpenMenu {
  readonly target: ActionTarget
  readonly x: number
  readonly y: number
}

export function ComparisonView(props: ComparisonViewProps): JSX.Element {
  const { source, comparison, onComparison, view, onView, empty } = props
  const order = orderFor(view)
  const loaded = useLoaded(`${source.key}:${order}:${comparison.absolute}`, signal =>
    source.tree(order, comparison.absolute, signal),
  )
  const rows = useLoaded(`${source.key}:rows`, signal => source.rows(signal))
  const { tree, result, found } = useShownTree(loaded.value, { ...view, search: comparison.filter })
  const [menu, setMenu] = useState<OpenMenu | undefined>(undefined)
  const hovered = useSignal<number | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  const detailed = useComputed(() => hovered.value ?? selected.value)

  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  if (loaded.value !== undefined && loaded.value.tree.length === 0 && !loaded.loading) return <>{empty}</>
  const { shows, absolute, filter } = comparison
  return (
    <section class="profile-view" aria-label="Comparison">
      <div class="bar">
        <Tabs
          label="Show"
          options={SHOWS}
          value={shows}
          onChange={value => onComparison({ ...comparison, shows: value })}
        />
        <div class="view-search" role="search">
          <input
            type="search"
            aria-label="Search functions"
            placeholder="Search functions"
            spellcheck={false}
            value={filter}
            onInput={event => onComparison({ ...comparison, filter: event.currentTarget.value }, 'replace')}
          />
          <span class="muted" role="status">
            {shows === 'diff' ? found : ''}
          </span>
        </div>
        <span class="spring" />
        {shows === 'diff' && tree !== undefined && <DiffScale tree={tree} colourBlind={view.colourBlind} />}
        <Tabs
          label="Values"
          options={[
            { value: 'share', title: 'Shares' },
            { value: 'absolute', title: 'Values' },
          ]}
          value={absolute ? 'absolute' : 'share'}
          onChange={value => onComparison({ ...comparison, absolute: value === 'absolute' })}
        />
        <label>
          <input
            type="checkbox"
            checked={view.inverted}
            onChange={event => onView({ ...view, inverted: event.currentTarget.checked, focus: [] })}
          />
          Inverted
        </label>
      </div>
      {shows === 'diff' && (
        <PathBar
          view={view}
          onView={onView}
          hiddenNodes={tree?.hiddenNodes ?? 0}
          hiddenSelf={loaded.value?.hiddenSelf ?? 0n}
          missing={loaded.value?.missing}
          sum={loaded.value?.tree.sum ?? 0n}
        />
      )}
      <div class={`profile-body comparison-${shows}${loaded.slow ? ' stale' : ''}`}>
        <Progress of={loaded} what="Comparing" />
        {shows === 'diff' && (
          <>
            <div class="profile-graph">
              <FlameGraph
                tree={tree}
                label="Difference as a flame graph"
                orientation={view.upwards ? 'flame' : 'icicle'}
                colourBy="diff"
                palette={view.colourBlind ? 'colour-blind' : 'standard'}
                matches={result?.matches}
                focus={view.focus}
                onHover={hit => (hovered.value = hit?.node)}
                onSelect={hit => (selected.value = hit?.node)}
                onFocus={({ path, by }) =>
                  onView({ ...view, focus: path }, by === 'wheel' || by === 'drag' ? 'replace' : 'push')
                }
                onMenu={(hit, { x, y }) => {
                  if (tree === undefined || hit.node === ROOT) return
                  const { name, file, mapping } = tree.frames
                  const target = { name: name[hit.frame], file: file[hit.frame], mapping: mapping[hit.frame] }
                  setMenu({ target: { ...target, path: hit.path }, x, y })
                }}
              />
            </div>
            <NewAndGone rows={rows.value} onChoose={name => onComparison({ ...comparison, filter: name })} />
          </>
        )}
        {shows === 'side' && <SideBySide source={source} view={view} onView={onView} search={filter} />}
        {shows === 'table' && rows.value !== undefined && (
          <DiffTable rows={rows.value} absolute={absolute} search={filter} />
        )}
        {shows === 'table' && rows.error !== undefined && !rows.loading && (
          <Failure error={rows.error} onRetry={rows.retry} />
        )}
      </div>
      {shows === 'diff' && (
        <DetailBar tree={tree} node={detailed} focused={tree === undefined ? ROOT : findPath(tree, view.focus).node} />
      )}
      {menu !== undefined && (
        <Menu
          title={menu.target.name}
          x={menu.x}
          y={menu.y}
          items={frameActions(menu.target, { view, onView, onFilter: undefined, hasSandwich: false }).filter(
            item => item.title !== 'Search for it',
          )}
          onClose={() => setMenu(undefined)}
        />
      )}
    </section>
  )
}

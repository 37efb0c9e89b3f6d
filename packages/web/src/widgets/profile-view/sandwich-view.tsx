// One function between its callers, which grow up from it, and its callees, which hang below.
import { formatShare, formatValue } from '@hearth/profile'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ProfileSource, SandwichTrees, TopColumns } from '../../api/profile-source.ts'
import type { FlameGraphHit } from '../../draw/flame-graph-view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { Tree } from '../../tree/tree.ts'
import type { View } from '../../address/view.ts'
import { Failure } from '../failure.tsx'
import { FlameGraph } from '../flame-graph.tsx'
import { Progress } from '../progress.tsx'
import { frameAt } from '../top-table.tsx'
import type { ActionTarget } from './frame-actions.ts'

export interface SandwichViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View) => void
  readonly table: JSX.Element | undefined
  readonly top: TopColumns | undefined
  readonly onMenu: (target: ActionTarget, x: number, y: number) => void
}

export function SandwichView({ source, view, table, top, onMenu }: SandwichViewProps): JSX.Element {
  // Until one is chosen it is the function with the most.
  const first = top === undefined || top.length === 0 ? undefined : frameAt(top, 0)
  const frame = view.frame === '' ? first : { name: view.frame, file: view.frameFile }
  const key = frame && `${source.key}:sandwich:${frame.name}\n${frame.file}`
  const loaded = useLoaded(key, signal => source.sandwich(frame!, signal))
  return (
    <div class="sandwich">
      <div class="profile-table">{table}</div>
      <div class="sandwich-graphs">
        <Progress of={loaded} what="Reading callers and callees" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : loaded.value === undefined ? (
          <p class="profile-hint muted">
            {loaded.loading || frame === undefined ? '' : `${frame.name} is in none of these profiles.`}
          </p>
        ) : (
          <Graphs trees={loaded.value} view={view} onMenu={onMenu} />
        )}
      </div>
    </div>
  )
}

interface GraphsProps extends Pick<SandwichViewProps, 'view' | 'onMenu'> {
  readonly trees: SandwichTrees
}

function Graphs({ trees, view, onMenu }: GraphsProps): JSX.Element {
  const { name, callers, callees, sum } = trees
  const marked = useSignal<number | undefined>(undefined)
  const shared = {
    colourBy: view.colour,
    palette: view.colourBlind ? 'colour-blind' : 'standard',
    marked,
    hidesRoot: true,
  } as const
  const menu = (tree: Tree) => (hit: FlameGraphHit, place: { readonly x: number; readonly y: number }) => {
    if (hit.frame < 0) return
    const { name: names, file, mapping } = tree.frames
    onMenu(
      { name: names[hit.frame], file: file[hit.frame], mapping: mapping[hit.frame], path: undefined },
      place.x,
      place.y,
    )
  }
  return (
    <>
      <FlameGraph tree={callers} label={`Callers of ${name}`} orientation="flame" onMenu={menu(callers)} {...shared} />
      <p class="sandwich-middle">
        <strong class="code">{name}</strong>
        <span>
          {formatValue(callees.sum, callees.unit)}, {formatShare(callees.sum, sum)} of all
        </span>
        <span class="muted">callers above, callees below</span>
      </p>
      <FlameGraph tree={callees} label={`Callees of ${name}`} orientation="icicle" onMenu={menu(callees)} {...shared} />
    </>
  )
}

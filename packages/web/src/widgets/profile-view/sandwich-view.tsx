// One function with its callers above and its callees below.
import type { CallTree } from '@hearth/profile'
import { ROOT, formatShare, formatValue, recursionFillsScreen, searchFrames } from '@hearth/profile'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { ProfileSource, SandwichTrees, TopColumns } from '../../api/profile-source.ts'
import type { FlameGraphHit } from '../../draw/flame-graph/flame-graph-view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { View } from '../../address/view.ts'
import { DetailBar } from '../flame-graph/detail-bar.tsx'
import { Failure } from '../failure.tsx'
import { FlameGraph } from '../flame-graph/flame-graph.tsx'
import type { MenuPlace } from '../controls/menu.tsx'
import { Progress } from '../controls/progress.tsx'
import { SplitHandle } from '../controls/split-handle.tsx'
import { frameAt } from '../top-table/top-table.tsx'
import type { ActionTarget } from '../flame-graph/frame-actions.ts'
import { targetAt } from '../flame-graph/frame-actions.ts'
import { paletteOf } from '../flame-graph/graph-props.ts'
import { FoldButton } from '../flame-graph/path-bar.tsx'
import { withoutRecursion } from '../flame-graph/use-shown-tree.ts'

export interface SandwichViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View) => void
  readonly table: JSX.Element | undefined
  readonly top: TopColumns | undefined
  readonly onMenu: (target: ActionTarget | undefined, place: MenuPlace) => void
  /** A selection in either graph. */
  readonly onSelect: (target: ActionTarget | undefined) => void
}

export function SandwichView(props: SandwichViewProps): JSX.Element {
  const { source, view, onView, table, top, onMenu, onSelect } = props
  // The function with the largest self value by default.
  const first = top === undefined || top.length === 0 ? undefined : frameAt(top, 0)
  const frame = view.frame === '' ? first : { name: view.frame, file: view.frameFile }
  const key = frame && `${source.key}:sandwich:${frame.name}\n${frame.file}`
  const loaded = useLoaded(key, signal => source.sandwich(frame!, signal))
  return (
    <div class="sandwich split column-if-narrow">
      <div class="profile-table">{table}</div>
      <SplitHandle name="table" first={0.4} label="Size of the table" />
      <div class="sandwich-graphs">
        <Progress of={loaded} what="Loading callers and callees" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : loaded.value === undefined ? (
          <p class="profile-hint muted">
            {loaded.loading || frame === undefined ? '' : `${frame.name} is not in these profiles.`}
          </p>
        ) : (
          <Graphs trees={loaded.value} {...{ view, onView, onMenu, onSelect }} />
        )}
      </div>
    </div>
  )
}

/** Shares refer to the function. */
const WHOLE = 'the function'

interface GraphsProps extends Pick<SandwichViewProps, 'view' | 'onView' | 'onMenu' | 'onSelect'> {
  readonly trees: SandwichTrees
}

function Graphs({ trees, view, onView, onMenu, onSelect }: GraphsProps): JSX.Element {
  const { name, sum } = trees
  const callers = useMemo(() => withoutRecursion(trees.callers, view.fold), [trees, view.fold])
  const callees = useMemo(() => withoutRecursion(trees.callees, view.fold), [trees, view.fold])
  const all = trees.callers.length + trees.callees.length
  const canFold = recursionFillsScreen(trees.callers) || recursionFillsScreen(trees.callees)
  const detailed = useSignal<number | undefined>(undefined)
  const [shown, setShown] = useState(callers)
  const matches = (tree: CallTree): Uint8Array | undefined =>
    view.search === ''
      ? undefined
      : searchFrames(tree.frames, { text: view.search, regularExpression: view.regex }).matches
  useLayoutEffect(() => {
    detailed.value = undefined
    onSelect(undefined)
  }, [callers, callees])
  const tell = (tree: CallTree, hit: FlameGraphHit | undefined): void => {
    setShown(tree)
    detailed.value = hit?.node
  }
  /** The path is undefined, because neither graph starts at the root of the stacks. */
  const targetIn = (tree: CallTree, node: number | undefined): ActionTarget | undefined => {
    const target = targetAt(tree, node)
    return target && { ...target, path: undefined }
  }
  const graphOf = (tree: CallTree) => ({
    tree,
    colourBy: view.colour,
    palette: paletteOf(view),
    hidesRoot: true,
    whole: WHOLE,
    matches: matches(tree),
    onHover: (hit: FlameGraphHit | undefined) => tell(tree, hit),
    onSelect: (hit: FlameGraphHit | undefined) => {
      tell(tree, hit)
      onSelect(targetIn(tree, hit?.node))
    },
    onMenu: (hit: FlameGraphHit, place: MenuPlace) => onMenu(targetIn(tree, hit.node), place),
  })
  return (
    <>
      <FlameGraph label={`Callers of ${name}`} orientation="flame" {...graphOf(callers)} />
      <p class="sandwich-middle">
        <strong class="code">{name}</strong>
        <span>
          {formatValue(callees.sum, callees.unit)}, {formatShare(callees.sum, sum)} of total
        </span>
        <span class="muted">callers above, callees below</span>
        <FoldButton {...{ view, onView, canFold }} foldedCalls={all - callers.length - callees.length} />
      </p>
      <FlameGraph label={`Callees of ${name}`} orientation="icicle" {...graphOf(callees)} />
      <DetailBar tree={shown} node={detailed} focused={ROOT} whole={WHOLE} />
    </>
  )
}

// The call tree as a table whose rows open. Screen readers read it as a tree with levels, so it is also the textual form of the
// flame graph.
import type { CallTree } from '@hearth/profile'
import { ROOT, formatShare, formatValue, selfOf, titleAt, totalOf } from '@hearth/profile'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { placeAmongSiblings } from '../../draw/flame-graph/walk.ts'
import { firstExpanded, nodesAbove, stepInTree, visibleRows } from '../../tree/call-tree-rows.ts'
import { isTouch, rowHeight } from '../../state/touch.ts'
import type { MenuPlace } from '../controls/menu.tsx'
import { FrameLabel } from '../frame-label.tsx'
import { scrollToRow, useSeenRows } from '../use-seen-rows.ts'
import './call-tree.css'

export interface CallTreeViewProps {
  readonly tree: CallTree
  /** A byte for each frame, not 0 if it matches the search. */
  readonly matches: Uint8Array | undefined
  /** The selected node; undefined without one. */
  readonly selected: number | undefined
  readonly onSelect: (node: number) => void
  readonly onMenu: (node: number, place: MenuPlace) => void
}

const HEAD = 28
/** Pixels per level, up to a depth that leaves room for the name. */
const INDENT = 14
const MAX_INDENT = 24

export function CallTreeView({ tree, matches, selected, onSelect, onMenu }: CallTreeViewProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null)
  const height = rowHeight()
  const [state, setState] = useState(() => ({ tree, expanded: firstExpanded(tree) as ReadonlySet<number> }))
  const expanded = useMemo(() => {
    const open = state.tree === tree ? state.expanded : firstExpanded(tree)
    return selected === undefined || selected >= tree.length ? open : new Set([...open, ...nodesAbove(tree, selected)])
  }, [tree, state, selected])
  const rows = useMemo(() => visibleRows(tree, expanded), [tree, expanded])
  const { from, to, look } = useSeenRows(scroller, height, rows.length)
  const current = selected !== undefined && selected < tree.length ? selected : (rows[0] ?? 0)
  useLayoutEffect(() => {
    if (selected !== undefined && scroller.current !== null)
      scrollToRow(scroller.current, rows.indexOf(current), height, isTouch.value ? height : HEAD)
  }, [selected, rows])
  const isRendered = rows.slice(from, to).includes(current)
  const toggle = (node: number): void => {
    const next = new Set(expanded)
    if (!next.delete(node)) next.add(node)
    setState({ tree, expanded: next })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'F10' && event.shiftKey) {
      const { left, top } = scroller.current!.getBoundingClientRect()
      onMenu(current, { x: left + 40, y: top + 40 })
      event.preventDefault()
      return
    }
    const step = stepInTree(tree, rows, { node: current, expanded }, event.key)
    if (step === undefined) return
    event.preventDefault()
    setState({ tree, expanded: step.expanded })
    onSelect(step.node)
  }
  return (
    <div
      class="call-tree scrolls"
      ref={scroller}
      onScroll={look}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="treegrid"
      aria-label="Call tree"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={isRendered ? `call-${current}` : undefined}
    >
      <div class="call-row call-head" role="row" aria-rowindex={1}>
        <span role="columnheader">Call</span>
        <span role="columnheader" class="number">
          Self
        </span>
        <span role="columnheader" class="number">
          Total
        </span>
        <span role="columnheader" class="number">
          Total %
        </span>
        <span role="columnheader" class="number">
          Of caller
        </span>
      </div>
      <div style={{ height: `${from * height}px` }} />
      {rows.slice(from, to).map((node, i) => {
        const total = totalOf(tree, node)
        const { place, of } = placeAmongSiblings(tree, node)
        const hasChildren = tree.end[node] > node + 1
        const isMatch = matches !== undefined && matches[tree.frame[node]] !== 0
        return (
          <div
            key={node}
            id={`call-${node}`}
            class={`call-row${node === selected ? ' selected' : ''}${matches === undefined ? '' : isMatch ? ' match' : ' dim'}`}
            role="row"
            aria-rowindex={from + i + 2}
            aria-level={tree.depth[node] + 1}
            aria-setsize={of}
            aria-posinset={place}
            aria-expanded={hasChildren ? expanded.has(node) : undefined}
            aria-selected={node === selected}
            onClick={() => onSelect(node)}
            onDblClick={() => hasChildren && toggle(node)}
            onContextMenu={event => {
              event.preventDefault()
              onSelect(node)
              onMenu(node, { x: event.clientX, y: event.clientY })
            }}
          >
            <span
              role="gridcell"
              class="call-name code"
              style={{ paddingLeft: `${8 + INDENT * Math.min(MAX_INDENT, tree.depth[node])}px` }}
              title={titleAt(tree, node)}
              aria-label={titleAt(tree, node)}
            >
              <span
                class="call-toggle"
                aria-hidden="true"
                onClick={event => {
                  event.stopPropagation()
                  if (hasChildren) toggle(node)
                }}
              >
                {hasChildren ? (expanded.has(node) ? '▾' : '▸') : ''}
              </span>
              <FrameLabel name={titleAt(tree, node)} />
            </span>
            <span role="gridcell" class="number">
              {formatValue(selfOf(tree, node), tree.unit)}
            </span>
            <span role="gridcell" class="number">
              {formatValue(total, tree.unit)}
            </span>
            <span role="gridcell" class="number muted">
              {formatShare(total, tree.sum)}
            </span>
            <span role="gridcell" class="number muted">
              {formatShare(total, tree.parent[node] === ROOT ? tree.sum : totalOf(tree, tree.parent[node]))}
            </span>
          </div>
        )
      })}
      <div style={{ height: `${Math.max(0, rows.length - to) * height}px` }} />
    </div>
  )
}

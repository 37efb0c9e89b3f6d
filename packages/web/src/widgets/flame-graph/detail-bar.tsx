// One line about the hovered or selected box that never covers the graph.
import type { CallTree } from '@hearth/profile'
import { ROOT, changeOf, formatShare, formatValue, selfOf, titleAt, totalOf } from '@hearth/profile'
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { isTouch } from '../../state/touch.ts'
import { beforeText } from '../../draw/flame-graph/describe.ts'
import './detail-bar.css'

export interface DetailBarProps {
  readonly tree: CallTree | undefined
  /** The node under the pointer, otherwise the selected one. */
  readonly node: Signal<number | undefined>
  /** The zoomed node. */
  readonly focused: number
  /** The whole that shares refer to, in words: `total` by default. */
  readonly whole?: string
  /** The total as text, if the sum of the tree is not the total. */
  readonly all?: string | undefined
}

export function DetailBar({ tree, node, focused, whole = 'total', all }: DetailBarProps): JSX.Element {
  const at = node.value
  return (
    // On small screens it scrolls, which keys must be able to do, too.
    <div
      class="detail-bar"
      {...(isTouch.value ? { tabIndex: 0, role: 'group', 'aria-label': 'Details of the box' } : {})}
    >
      {tree === undefined || at === undefined || at >= tree.length ? (
        <span class="muted">{tree === undefined ? '' : hintFor(tree, all)}</span>
      ) : (
        <NodeDetail tree={tree} node={at} focused={focused} whole={whole} />
      )}
    </div>
  )
}

function hintFor(tree: CallTree, all = `${formatValue(tree.sum, tree.unit)} total`): string {
  if (tree.length === 0) return ''
  if (isTouch.value)
    return `${tree.times === undefined ? all : 'Pinch to zoom, drag to pan'} · tap to zoom, hold for more`
  if (tree.times !== undefined) return 'W and S to zoom, A and D to pan, 0 to show all · click to zoom, ? for all keys'
  return `${all} · click to zoom, right-click for more, ? for all keys`
}

interface NodeDetailProps {
  readonly tree: CallTree
  readonly node: number
  readonly focused: number
  readonly whole: string
}

function NodeDetail({ tree, node, focused, whole }: NodeDetailProps): JSX.Element {
  const total = totalOf(tree, node)
  const frame = node === ROOT ? -1 : tree.frame[node]
  const file = frame < 0 ? '' : tree.frames.file[frame]
  const line = frame < 0 ? '' : tree.frames.line[frame]
  const mapping = frame < 0 ? '' : tree.frames.mapping[frame]
  const change = changeOf(tree, node)
  const view = focused === ROOT || focused >= tree.length ? tree.sum : totalOf(tree, focused)
  return (
    <>
      <strong class="code detail-name">{titleAt(tree, node)}</strong>
      {file !== '' && (
        <span class="code muted detail-file" title={file}>
          <bdi>{line === '' ? file : `${file}:${line}`}</bdi>
        </span>
      )}
      {tree.times !== undefined && node !== ROOT && (
        <span>
          at <b>{formatValue(tree.times.start[node], 'ns')}</b>
        </span>
      )}
      <span>
        self <b>{formatValue(selfOf(tree, node), tree.unit)}</b>
      </span>
      <span>
        total <b>{formatValue(total, tree.unit)}</b>
      </span>
      <span class="muted">
        {view !== tree.sum && `${formatShare(total, view)} of view, `}
        {formatShare(total, tree.sum)} of {whole}
      </span>
      {tree.before !== undefined && node !== ROOT && (
        <span class={change > 0 ? 'detail-more' : change < 0 ? 'detail-less' : undefined}>
          {change > 0 ? '+' : ''}
          {(100 * change).toFixed(2)} points, before {beforeText(tree, node)}
        </span>
      )}
      {mapping !== '' && (
        <span class="muted detail-file">
          <bdi>{mapping}</bdi>
        </span>
      )}
    </>
  )
}

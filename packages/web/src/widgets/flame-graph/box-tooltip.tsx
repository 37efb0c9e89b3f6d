// The tooltip of a box.
import type { CallTree, SideObservations } from '@hearth/profile'
import { ROOT, changeOf, foldedAbove, formatShare, formatValue, selfOf, titleAt, totalOf } from '@hearth/profile'
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { beforeText } from '../../draw/flame-graph/describe.ts'
import { changeConfidence, sampleText } from '../../tree/confidence.ts'
import type { FlameGraphHit } from '../../draw/flame-graph/flame-graph-view.ts'
import { tooltips } from '../../state/tooltips.ts'
import './detail-bar.css'

export interface BoxTooltipProps {
  readonly tree: CallTree | undefined
  readonly hit: Signal<FlameGraphHit | undefined>
  /** The whole that shares refer to, in words. */
  readonly whole: string
  readonly observations?: number | SideObservations | undefined
}

const GAP = 14
const MARGIN = 4
/** Folded calls that are named. */
const LISTED = 6

export function BoxTooltip({ tree, hit, whole, observations }: BoxTooltipProps): JSX.Element {
  const at = hit.value
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    const host = element?.parentElement
    if (at === undefined || element === null || host === null || host === undefined) return
    const { clientWidth, clientHeight } = host
    const { offsetWidth: width, offsetHeight: height } = element
    const left = at.x + GAP + width > clientWidth ? at.x - GAP - width : at.x + GAP
    const top = at.y + GAP + height > clientHeight ? at.y - GAP - height : at.y + GAP
    element.style.left = `${Math.max(MARGIN, left)}px`
    element.style.top = `${Math.max(MARGIN, top)}px`
  })
  if (!tooltips.value || at === undefined || tree === undefined || at.by !== 'pointer' || at.node >= tree.length) {
    return <></>
  }
  return (
    <div class="box-tooltip" ref={box} aria-hidden="true">
      <Content tree={tree} node={at.node} whole={whole} observations={observations} />
    </div>
  )
}

interface ContentProps {
  readonly tree: CallTree
  readonly node: number
  readonly whole: string
  readonly observations: number | SideObservations | undefined
}

function Content({ tree, node, whole, observations }: ContentProps): JSX.Element {
  const total = totalOf(tree, node)
  const self = selfOf(tree, node)
  const frame = node === ROOT ? undefined : tree.frame[node]
  const { file, line, mapping, type, address, buildId } = tree.frames
  const change = changeOf(tree, node)
  const parent = node === ROOT ? undefined : tree.parent[node]
  const folded = foldedAbove(tree, node)
  const samples = typeof observations === 'number' ? sampleText(tree, node, observations) : ''
  const confidence = typeof observations === 'object' ? changeConfidence(tree, node, observations) : ''
  const place = frame === undefined ? '' : line[frame] === '' ? file[frame] : `${file[frame]}:${line[frame]}`
  const origin = frame === undefined ? '' : [mapping[frame], type[frame]].filter(text => text !== '').join(', ')
  const at = frame === undefined || address[frame] === '' ? '' : `0x${BigInt(address[frame]).toString(16)}`
  const build = frame === undefined ? '' : (buildId?.[frame] ?? '')
  return (
    <>
      <strong class="code">{titleAt(tree, node)}</strong>
      {place !== '' && <span class="code muted">{place}</span>}
      {origin !== '' && <span class="code muted">{origin}</span>}
      {at !== '' && <span class="code muted">address {at}</span>}
      {build !== '' && <span class="code muted">build id {build}</span>}
      {tree.times !== undefined && node !== ROOT && (
        <span>
          at <b>{formatValue(tree.times.start[node], 'ns')}</b>
        </span>
      )}
      <span>
        total <b>{formatValue(total, tree.unit)}</b>, {formatShare(total, tree.sum)} of {whole}
      </span>
      <span>
        self <b>{formatValue(self, tree.unit)}</b>, {formatShare(self, tree.sum)} of {whole}
      </span>
      {parent !== undefined && parent !== ROOT && tree.times === undefined && (
        <span>{formatShare(total, totalOf(tree, parent))} of its caller</span>
      )}
      {samples !== '' && <span class="muted">{samples}</span>}
      {folded.length > 0 && (
        <span class="muted">
          {folded.length} folded: {folded.slice(0, LISTED).join(' › ')}
          {folded.length > LISTED ? ' …' : ''}
        </span>
      )}
      {tree.before !== undefined && node !== ROOT && (
        <span class={change > 0 ? 'detail-more' : change < 0 ? 'detail-less' : undefined}>
          {change > 0 ? '+' : ''}
          {(100 * change).toFixed(2)} points, before {beforeText(tree, node)}
        </span>
      )}
      {confidence !== '' && <span class="muted">{confidence}</span>}
    </>
  )
}

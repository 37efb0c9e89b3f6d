// The call graph: functions as boxes, calls as arrows whose width shows their value.
import type { CallTree } from '@hearth/profile'
import { formatShare, formatValue, isFunction } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { FrameName } from '../../api/profile-source.ts'
import { coloursOf } from '../../draw/flame-graph/box-colours.ts'
import { textOn } from '../../draw/oklch.ts'
import type { View } from '../../address/view.ts'
import { theme } from '../../state/theme.ts'
import { callGraph } from '../../tree/call-graph.ts'
import { shortNameOf } from '../../tree/package-name.ts'
import type { MenuPlace } from '../controls/menu.tsx'
import { paletteOf } from '../flame-graph/graph-props.ts'
import './call-graph.css'

export interface CallGraphViewProps {
  readonly tree: CallTree
  readonly view: View
  readonly matches: Uint8Array | undefined
  readonly onChoose: (frame: FrameName) => void
  readonly onMenu: (frame: FrameName, place: MenuPlace) => void
}

const LIMITS = [20, 40, 80, 160]
const BOX = { width: 184, height: 44, gapX: 20, gapY: 46 }
/** Characters that fit into a box. */
const MAX_NAME = 24
const ZOOMS = [0.5, 0.75, 1, 1.5]

export function CallGraphView({ tree, view, matches, onChoose, onMenu }: CallGraphViewProps): JSX.Element {
  const [limit, setLimit] = useState(40)
  const [zoom, setZoom] = useState(1)
  const graph = useMemo(() => callGraph(tree, limit), [tree, limit])
  const shownTheme = theme.value
  const colours = useMemo(
    () => coloursOf(tree, { colourBy: 'package', palette: paletteOf(view), theme: shownTheme }),
    [tree, view.colourBlind, shownTheme],
  )
  const firstNode = useMemo(() => nodesByFrame(tree), [tree])
  const widest = Math.max(1, ...graph.layers.map(layer => layer.length))
  const width = widest * (BOX.width + BOX.gapX) + BOX.gapX
  const height = graph.layers.length * (BOX.height + BOX.gapY) + 20
  const placeOf = (i: number): { readonly x: number; readonly y: number } => {
    const { layer, place } = graph.nodes[i]
    const used = graph.layers[layer].length * (BOX.width + BOX.gapX) - BOX.gapX
    return { x: (width - used) / 2 + place * (BOX.width + BOX.gapX), y: 10 + layer * (BOX.height + BOX.gapY) }
  }
  const most = Math.max(1, ...graph.edges.map(({ value }) => value))
  return (
    <div class="call-graph">
      <div class="call-graph-bar">
        <label>
          Functions
          <select value={limit} onChange={event => setLimit(Number(event.currentTarget.value))}>
            {LIMITS.map(each => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label>
          Zoom
          <select value={zoom} onChange={event => setZoom(Number(event.currentTarget.value))}>
            {ZOOMS.map(each => (
              <option key={each} value={each}>
                {100 * each}%
              </option>
            ))}
          </select>
        </label>
        {graph.hidden > 0 && <span class="muted">{graph.hidden.toLocaleString('en')} smaller functions hidden</span>}
      </div>
      <div class="call-graph-scroll scrolls" tabIndex={0} role="region" aria-label="Call graph">
        <svg
          width={width * zoom}
          height={height * zoom}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label="Functions and their calls"
        >
          <defs>
            <marker
              id="call-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
              markerUnits="userSpaceOnUse"
            >
              <path d="M0 0 8 4 0 8z" class="call-arrow-head" />
            </marker>
          </defs>
          {graph.edges.map(({ from, to, value, isBack }) => {
            const [a, b] = [placeOf(from), placeOf(to)]
            const [x1, y1] = [a.x + BOX.width / 2, a.y + BOX.height]
            const [x2, y2] = [b.x + BOX.width / 2, isBack ? b.y + BOX.height : b.y]
            const bend = isBack ? 40 : (y2 - y1) / 2
            const away = from === to ? 50 : 0
            return (
              <path
                key={`${from}-${to}`}
                class={isBack ? 'call-edge back' : 'call-edge'}
                d={`M${x1} ${y1}C${x1 + away} ${y1 + bend} ${x2 - away} ${isBack ? y2 + bend : y2 - bend} ${x2} ${y2}`}
                stroke-width={1 + (5 * value) / most}
                marker-end="url(#call-arrow)"
              >
                <title>{`${nameOf(tree, graph.nodes[from].frame)} calls ${nameOf(tree, graph.nodes[to].frame)}: ${formatValue(value, tree.unit)}, ${formatShare(value, tree.sum)} of total`}</title>
              </path>
            )
          })}
          {graph.nodes.map(({ frame, self, total }, i) => {
            const { x, y } = placeOf(i)
            const fill = colours.box[colours.of(firstNode.get(frame) ?? 0)]
            const text = textOn(fill)
            const name = nameOf(tree, frame)
            const target = { name, file: tree.frames.file[frame] }
            const isDim = matches !== undefined && matches[frame] === 0
            return (
              <g
                key={frame}
                class={`call-box${isDim ? ' dim' : ''}`}
                transform={`translate(${x} ${y})`}
                role="img"
                aria-label={`${name}, total ${formatValue(total, tree.unit)}, self ${formatValue(self, tree.unit)}`}
                onClick={() => onChoose(target)}
                onContextMenu={event => {
                  event.preventDefault()
                  onMenu(target, { x: event.clientX, y: event.clientY })
                }}
              >
                <title>{`${name}\n${tree.frames.file[frame]}`}</title>
                <rect
                  width={BOX.width}
                  height={BOX.height}
                  rx="4"
                  fill={fill}
                  class={view.frame === name ? 'selected' : undefined}
                />
                <text x="8" y="18" fill={text} class="code">
                  {shortened(shortNameOf(name))}
                </text>
                <text x="8" y="35" fill={text}>
                  {formatShare(total, tree.sum)} · self {formatShare(self, tree.sum)}
                </text>
              </g>
            )
          })}
        </svg>
      </div>
    </div>
  )
}

function nameOf(tree: CallTree, frame: number): string {
  return tree.frames.name[frame]
}

/** Shortened in the middle, so that the method stays readable. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name
  const end = Math.ceil((MAX_NAME - 1) * 0.65)
  return `${name.slice(0, MAX_NAME - 1 - end)}…${name.slice(-end)}`
}

/** The first node of each function, for its colour. */
function nodesByFrame({ length, frame, frames }: CallTree): Map<number, number> {
  const found = new Map<number, number>()
  for (let i = 0; i < length; i++) if (isFunction(frames, frame[i]) && !found.has(frame[i])) found.set(frame[i], i)
  return found
}

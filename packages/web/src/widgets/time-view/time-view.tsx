// The flame chart of a thread, with the choice of thread and the ruler. The URL contains the visible range.
import { formatValue } from '@hearth/profile'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TimelineResult } from '../../api/profile-source.ts'
import type { FlameGraphView } from '../../draw/flame-graph/flame-graph-view.ts'
import type { View } from '../../address/view.ts'
import type { FlameGraphProps } from '../flame-graph/flame-graph.tsx'
import { FlameGraph } from '../flame-graph/flame-graph.tsx'
import { paletteOf } from '../flame-graph/graph-props.ts'
import { NoTimes } from './no-times.tsx'
import { Ruler } from './ruler.tsx'
import { TimesSwitch, clockOf } from '../times-switch.tsx'
import { firstBurst } from '../../timeline/first-burst.ts'
import { formatSpan, parseSpan } from '../../address/time-span.ts'
import './time-view.css'

export interface TimeViewProps extends Pick<
  FlameGraphProps,
  'matches' | 'onHover' | 'onSelect' | 'onMenu' | 'onReady'
> {
  readonly timeline: TimelineResult | undefined
  /** Whether the samples come from a local file and not from the server. */
  readonly isFile: boolean
  /** The graph that `onReady` received. */
  readonly graph: FlameGraphView | undefined
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
}

/** The URL is updated when the user has not zoomed for this long. */
const SETTLED_MS = 250

export function TimeView({ timeline, isFile, graph, view, onView, ...events }: TimeViewProps): JSX.Element {
  const shown = useSignal({ left: 0, right: 1 })
  const latest = useRef({ view, onView })
  latest.current = { view, onView }
  /** The tree and the range of the URL that the graph already shows. */
  const looked = useRef<{ readonly tree: unknown; readonly span: string }>({ tree: undefined, span: '' })
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const tree = timeline?.tree
  const whole = tree?.times?.whole ?? 0

  useLayoutEffect(() => {
    if (graph === undefined || tree === undefined || whole === 0) return
    const isNew = looked.current.tree !== tree
    if (!isNew && looked.current.span === view.span) return
    looked.current = { tree, span: view.span }
    // The effect of the FlameGraph component may run after this one. Setting the same tree twice has no effect.
    graph.setTree(tree)
    const span = parseSpan(view.span)
    const origin = timeline?.origin ?? 0n
    if (span !== undefined) graph.look(Number(span.from - origin) / whole, Number(span.until - origin) / whole)
    else if (!isNew) graph.look(0, 1)
    else {
      const burst = firstBurst(tree)
      if (burst !== undefined) graph.look(burst.from / whole, burst.until / whole)
    }
  }, [graph, tree, view.span])
  useLayoutEffect(() => () => clearTimeout(timer.current), [])

  if (timeline !== undefined && timeline.threads.length === 0) {
    return <NoTimes isFile={isFile} />
  }
  const settle = ({ left, right }: { readonly left: number; readonly right: number }): void => {
    shown.value = { left, right }
    clearTimeout(timer.current)
    // Until the graph shows the range of the URL, the visible range is not a choice of the user.
    if (tree === undefined || looked.current.tree !== tree) return
    timer.current = setTimeout(() => {
      const span = left <= 0 && right >= 1 ? '' : formatSpan(timeline?.origin ?? 0n, left * whole, right * whole)
      if (span === latest.current.view.span) return
      looked.current = { ...looked.current, span }
      latest.current.onView({ ...latest.current.view, span }, 'replace')
    }, SETTLED_MS)
  }
  return (
    <div class="time-view">
      <div class="time-bar">
        <label>
          <span class="muted">Thread</span>
          <select
            value={timeline?.thread ?? ''}
            onChange={event => onView({ ...view, thread: event.currentTarget.value })}
          >
            {timeline?.threads.map(({ key, title, observations }) => (
              <option key={key} value={key}>
                {title} · {observations.toLocaleString('en')}
              </option>
            ))}
          </select>
        </label>
        <span class="muted">{tree === undefined ? '' : <Range of={shown} whole={whole} />}</span>
        {timeline !== undefined && timeline.dropped > 0 && (
          <span class="muted">last {timeline.dropped.toLocaleString('en')} samples not shown</span>
        )}
        <span class="spring" />
        <TimesSwitch origin={timeline?.origin} />
        <button type="button" class="plain" onClick={() => graph?.look(0, 1)}>
          Reset zoom
        </button>
      </div>
      <Ruler of={shown} whole={whole} clock={clockOf(timeline?.origin)} />
      <div class="time-chart">
        <FlameGraph
          tree={tree}
          label="Flame chart"
          orientation={view.upwards ? 'flame' : 'icicle'}
          colourBy={view.colour}
          palette={paletteOf(view)}
          onViewChange={settle}
          {...events}
        />
      </div>
    </div>
  )
}

function Range({
  of,
  whole,
}: {
  readonly of: { value: { left: number; right: number } }
  readonly whole: number
}): JSX.Element {
  const { left, right } = of.value
  const length = formatValue((right - left) * whole, 'ns')
  return <>{right - left >= 1 ? length : `${length} of ${formatValue(whole, 'ns')}`}</>
}

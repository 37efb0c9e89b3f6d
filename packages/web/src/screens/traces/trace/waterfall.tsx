// The waterfall of a trace: a row for each span in tree order, with its bar in time, its self time and its profile values.
// Only visible rows are in the DOM, so that 100,000 spans scroll as smoothly as ten.
import { formatDuration, formatValue } from '@hearth/profile'
import type { Spans } from '@hearth/client'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { serviceColour } from '../../../draw/traces/waterfall-colours.ts'
import type { TimePart, WaterfallSpans } from '../../../draw/traces/waterfall-spans.ts'
import { ownParts, positionOfRow, shownRows, zoomedPart } from '../../../draw/traces/waterfall-spans.ts'
import { theme } from '../../../state/theme.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { counted } from '../../../widgets/counted.ts'
import { LedgerBar } from '../../../widgets/ledger/ledger-bar.tsx'
import { Ruler } from '../../../widgets/time-view/ruler.tsx'
import { typeTitle } from '../../../widgets/type-title.ts'
import { scrollToRow, useSeenRows } from '../../../widgets/use-seen-rows.ts'
import { SpanKind } from '../span-kind.tsx'
import { oddityText } from './oddity-text.ts'
import type { SpanValues } from './span-values.ts'
import type { RowLedger } from './trace-ledger.tsx'
import { WaterfallMinimap } from './waterfall-minimap.tsx'
import './waterfall.css'

export interface WaterfallProps {
  readonly spans: Spans
  /** The same spans with their events. Undefined until they have been loaded. */
  readonly detailed: Spans | undefined
  readonly shape: WaterfallSpans
  /** The values that are shown as columns. */
  readonly values: readonly SpanValues[]
  /** The ledger of each span, by its id. Undefined until it has been loaded. */
  readonly ledgers: ReadonlyMap<string, RowLedger> | undefined
  /** -1 for none. */
  readonly selected: number
  readonly onSelect: (row: number) => void
  readonly folded: ReadonlySet<number>
  readonly onFold: (folded: ReadonlySet<number>) => void
  /** One byte for each row, 1 if the row matches the search. Undefined without a search. */
  readonly matches: Uint8Array | undefined
  readonly part: TimePart
  readonly onPart: (part: TimePart) => void
}

export const ROW = 24
const HEAD = 24
/** The indent of each level, in pixels. */
const INDENT = 12
/** Deeper levels are not indented further. */
const MAX_INDENTED_DEPTH = 24
/** The maximum number of event marks in a row. */
const MAX_EVENTS = 50

export function Waterfall(props: WaterfallProps): JSX.Element {
  const { spans, detailed, shape, values, selected, onSelect, folded, onFold, matches, part, onPart } = props
  const scroller = useRef<HTMLDivElement>(null)
  const time = useRef<HTMLDivElement>(null)
  const shown = useMemo(() => shownRows(shape, folded), [shape, folded])
  const { from, to, look } = useSeenRows(scroller, ROW, shown.length)
  const eventsOf = useMemo(() => eventTimes(detailed), [detailed])
  const ruler = useSignal({ left: 0, right: 1 })
  ruler.value = { left: part.from / (shape.whole || 1), right: part.until / (shape.whole || 1) }

  const reveal = (row: number): void => {
    if (scroller.current !== null) scrollToRow(scroller.current, positionOfRow(shown, row), ROW, HEAD)
  }
  useEffect(() => {
    if (selected !== -1) reveal(selected)
  }, [selected, shown])
  useZoomByWheel(scroller, time, part, shape.whole, onPart)

  const walk = (by: number): void => {
    const place = selected === -1 ? (by > 0 ? -1 : shown.length) : positionOfRow(shown, selected)
    onSelect(shown[Math.max(0, Math.min(shown.length - 1, place + by))])
  }
  const fold = (row: number, isFolded: boolean): void => {
    const next = new Set(folded)
    if (isFolded) next.add(row)
    else next.delete(row)
    onFold(next)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW) - 2)
    const hasBelow = selected !== -1 && shape.end[selected] > selected + 1
    const middle = (part.from + part.until) / 2
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => walk(1),
      ArrowUp: () => walk(-1),
      PageDown: () => walk(page),
      PageUp: () => walk(-page),
      Home: () => onSelect(shown[0]),
      End: () => onSelect(shown[shown.length - 1]),
      ArrowRight: () => (hasBelow && folded.has(selected) ? fold(selected, false) : hasBelow ? walk(1) : undefined),
      ArrowLeft: () => {
        if (hasBelow && !folded.has(selected)) fold(selected, true)
        else if (selected !== -1 && shape.parent[selected] !== -1) onSelect(shape.parent[selected])
      },
      '+': () => onPart(zoomedPart(part, shape.whole, middle, 0.5)),
      '-': () => onPart(zoomedPart(part, shape.whole, middle, 2)),
      '0': () => onPart({ from: 0, until: shape.whole }),
    }
    const act = acts[event.key]
    if (act === undefined || shown.length === 0) return
    event.preventDefault()
    act()
  }
  const bar = scroller.current === null ? 0 : scroller.current.offsetWidth - scroller.current.clientWidth
  const style = { '--columns': String(3 + values.length), '--scroll-bar': `${bar}px` }
  return (
    <div class="waterfall" style={style}>
      <WaterfallMinimap spans={spans} shape={shape} part={part} onPart={onPart} />
      <div
        class="waterfall-rows"
        role="treegrid"
        aria-label="Spans"
        aria-rowcount={spans.length + 1}
        aria-activedescendant={selected === -1 ? undefined : `span-${selected}`}
        tabIndex={0}
        ref={scroller}
        onScroll={look}
        onKeyDown={onKeyDown}
      >
        <div class="waterfall-row waterfall-head" role="row" aria-rowindex={1}>
          <span role="columnheader">Span</span>
          <div role="columnheader" ref={time}>
            <span class="visually-hidden">Time</span>
            <Ruler of={ruler} whole={shape.whole} />
          </div>
          <span role="columnheader" class="number">
            Duration
          </span>
          <span role="columnheader" class="number" title="Time not covered by children">
            Self
          </span>
          <span role="columnheader" title="Where the time of the span went">
            Ledger
          </span>
          {values.map(({ key, type }) => (
            <span key={key} role="columnheader" class="number" title={`${typeTitle(key)}, including children`}>
              {type}
            </span>
          ))}
        </div>
        <div role="presentation" style={{ height: `${from * ROW}px` }} />
        {Array.from(shown.subarray(from, to), row => (
          <Row
            key={row}
            row={row}
            {...props}
            events={eventsOf(row)}
            isFolded={folded.has(row)}
            onFold={isFolded => fold(row, isFolded)}
            isMatch={matches === undefined ? undefined : matches[row] !== 0}
            onSelect={() => {
              scroller.current?.focus({ preventScroll: true })
              onSelect(row)
            }}
          />
        ))}
        <div role="presentation" style={{ height: `${(shown.length - to) * ROW}px` }} />
      </div>
    </div>
  )
}

interface RowProps {
  readonly row: number
  readonly spans: Spans
  readonly shape: WaterfallSpans
  readonly values: readonly SpanValues[]
  readonly ledgers: ReadonlyMap<string, RowLedger> | undefined
  readonly selected: number
  readonly part: TimePart
  readonly events: readonly SpanEvent[]
  readonly isFolded: boolean
  readonly onFold: (isFolded: boolean) => void
  /** Undefined without a search. */
  readonly isMatch: boolean | undefined
  readonly onSelect: () => void
}

function Row(props: RowProps): JSX.Element {
  const { row, spans, shape, values, ledgers, selected, part, events, isFolded, onFold, isMatch, onSelect } = props
  const hasBelow = shape.end[row] > row + 1
  const service = spans.service(row)
  const colour = serviceColour(service, theme.value)
  const isError = spans.status(row) === 'error'
  const oddities = spans.oddities(row)
  const hidden = spans.hiddenChildren[row]
  const ledger = ledgers?.get(spans.id(row))
  const critical = ledger?.critical ?? 0
  const state = [
    row === selected ? 'selected' : '',
    isMatch === true ? 'found' : isMatch === false ? 'missed' : '',
    isError ? 'error' : '',
  ].filter(each => each !== '')
  return (
    <div
      id={`span-${row}`}
      class={`waterfall-row ${state.join(' ')}`}
      role="row"
      aria-rowindex={row + 2}
      aria-level={shape.depth[row] + 1}
      aria-expanded={hasBelow ? !isFolded : undefined}
      aria-selected={row === selected}
      style={{ '--service': colour }}
      onClick={onSelect}
      onDblClick={() => hasBelow && onFold(!isFolded)}
    >
      <div
        role="gridcell"
        class="waterfall-name"
        title={`${spans.name(row)}\n${service}`}
        style={{ paddingLeft: `${8 + Math.min(MAX_INDENTED_DEPTH, shape.depth[row]) * INDENT}px` }}
      >
        {hasBelow ? (
          <button
            type="button"
            class="plain waterfall-fold"
            tabIndex={-1}
            aria-label={isFolded ? 'Expand' : 'Collapse'}
            onClick={event => {
              event.stopPropagation()
              onFold(!isFolded)
            }}
          >
            <Icon name={isFolded ? 'right' : 'down'} size={12} />
          </button>
        ) : (
          <span class="waterfall-fold" />
        )}
        <span class="waterfall-service" />
        <span class="waterfall-title">{spans.name(row)}</span>
        <SpanKind kind={spans.kind(row)} />
        {isError && (
          <span class="waterfall-error" title={spans.statusMessage(row) || 'Error'}>
            error
          </span>
        )}
        {oddities.length > 0 && (
          <span class="waterfall-odd" title={oddities.map(oddityText).join('\n')}>
            <Icon name="warning" size={12} />
            <span class="visually-hidden">{oddities.map(oddityText).join('; ')}</span>
          </span>
        )}
        {isFolded && <span class="muted">+{(shape.end[row] - row - 1).toLocaleString('en')}</span>}
        {hidden > 0 && <span class="muted">{hidden.toLocaleString('en')} hidden</span>}
        <span class="muted waterfall-of">{service}</span>
      </div>
      <div role="gridcell" class="waterfall-time">
        {critical > 0 && <span class="visually-hidden">{criticalText(critical)}</span>}
        <Bar row={row} shape={shape} part={part} colour={colour} hasEnd={spans.hasEnd(row)} critical={critical} />
        {events.map(({ time, name }, i) => (
          <Mark key={i} at={time + shape.moved[row] - Number(shape.origin - spans.start[0])} name={name} part={part} />
        ))}
      </div>
      <span role="gridcell" class="number">
        {spans.hasEnd(row) ? formatDuration(spans.duration[row]) : 'no end'}
      </span>
      <span role="gridcell" class="number muted">
        {spans.hasEnd(row) ? formatDuration(spans.self[row]) : ''}
      </span>
      <span role="gridcell" class="waterfall-ledger">
        {ledger !== undefined && <LedgerBar nanos={ledger.nanos} />}
      </span>
      {values.map(each => (
        <span
          key={each.key}
          role="gridcell"
          class={each.samples[row] === 0 ? 'number muted' : 'number'}
          title={`self: ${formatValue(each.value[row], each.unit)}, ${counted(each.samples[row], 'sample')}`}
        >
          {each.subtreeSamples[row] === 0 ? '' : formatValue(each.subtreeValue[row], each.unit)}
        </span>
      ))}
    </div>
  )
}

interface BarProps {
  readonly row: number
  readonly shape: WaterfallSpans
  readonly part: TimePart
  readonly colour: string
  readonly hasEnd: boolean
  /** The nanoseconds on the critical path. */
  readonly critical: number
}

/** The bar of a span: full colour for self time, pale where a child was running, with a line if it is on the critical path. */
function Bar({ row, shape, part, colour, hasEnd, critical }: BarProps): JSX.Element {
  const length = part.until - part.from || 1
  const left = (100 * (shape.start[row] - part.from)) / length
  const width = (100 * shape.duration[row]) / length
  const moved = shape.moved[row]
  return (
    <>
      {moved !== 0 && (
        <span
          class="waterfall-moved"
          title={`Clock correction: ${formatDuration(moved)}`}
          style={{ left: `calc(${left}% - 5px)` }}
        />
      )}
      <span
        class={`waterfall-bar ${hasEnd ? '' : 'open'} ${critical > 0 ? 'critical' : ''}`}
        title={critical > 0 ? criticalText(critical) : undefined}
        style={{ left: `${left}%`, width: `${width}%`, background: hasEnd ? shades(shape, row, colour) : undefined }}
      />
    </>
  )
}

function criticalText(nanos: number): string {
  return `${formatDuration(nanos)} on the critical path`
}

function shades(shape: WaterfallSpans, row: number, colour: string): string {
  const pale = `color-mix(in oklab, ${colour} 38%, var(--surface))`
  const own = ownParts(shape, row)
  if (own.length === 1 && own[0][0] === 0 && own[0][1] === 1) return colour
  const stops = own.flatMap(([from, to]) => [
    `${pale} ${(100 * from).toFixed(3)}%`,
    `${colour} ${(100 * from).toFixed(3)}%`,
    `${colour} ${(100 * to).toFixed(3)}%`,
    `${pale} ${(100 * to).toFixed(3)}%`,
  ])
  return `linear-gradient(to right, ${[`${pale} 0%`, ...stops, `${pale} 100%`].join(', ')})`
}

function Mark({
  at,
  name,
  part,
}: {
  readonly at: number
  readonly name: string
  readonly part: TimePart
}): JSX.Element {
  const place = (100 * (at - part.from)) / (part.until - part.from || 1)
  return place < 0 || place > 100 ? <></> : <span class="waterfall-event" title={name} style={{ left: `${place}%` }} />
}

interface SpanEvent {
  /** Nanoseconds from the start of the first row. */
  readonly time: number
  readonly name: string
}

const NO_EVENTS: readonly SpanEvent[] = []

/** Returns a function that reads the events of a row when it is first visible. Without details there are none. */
function eventTimes(spans: Spans | undefined): (row: number) => readonly SpanEvent[] {
  if (spans === undefined) return () => NO_EVENTS
  const known = new Map<number, readonly SpanEvent[]>()
  return row => {
    let events = known.get(row)
    if (events === undefined) {
      events = (spans.details(row)?.events ?? []).slice(0, MAX_EVENTS).map(({ time, name }) => ({
        time: Number(BigInt.asIntN(64, BigInt(time) - spans.start[0])),
        name,
      }))
      known.set(row, events)
    }
    return events
  }
}

/** Ctrl and the mouse wheel zoom around the pointer. */
function useZoomByWheel(
  scroller: { readonly current: HTMLElement | null },
  time: { readonly current: HTMLElement | null },
  part: TimePart,
  whole: number,
  onPart: (part: TimePart) => void,
): void {
  const latest = useRef({ part, whole, onPart })
  latest.current = { part, whole, onPart }
  useLayoutEffect(() => {
    const element = scroller.current!
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const { part: now, whole: all, onPart: set } = latest.current
      const { left, width } = time.current!.getBoundingClientRect()
      const share = Math.max(0, Math.min(1, (event.clientX - left) / (width || 1)))
      set(zoomedPart(now, all, now.from + share * (now.until - now.from), Math.exp(event.deltaY / 300)))
    }
    // Only a listener that is not passive can prevent the browser from zooming the page.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [])
}

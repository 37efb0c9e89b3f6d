// The overview of the whole trace above its rows. A drag zooms to a range of time, a double click resets the zoom.
import type { Spans } from '@hearth/client'
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { serviceColour } from '../../../draw/traces/waterfall-colours.ts'
import { paintWaterfall } from '../../../draw/traces/waterfall-minimap.ts'
import type { TimePart, WaterfallSpans } from '../../../draw/traces/waterfall-spans.ts'
import { theme } from '../../../state/theme.ts'
import { PlotCanvas } from '../../../widgets/charts/plot-canvas.tsx'
import { useDrag } from '../../../widgets/charts/use-drag.ts'
import { useWidth } from '../../../widgets/use-width.ts'

export interface WaterfallMinimapProps {
  readonly spans: Spans
  readonly shape: WaterfallSpans
  readonly part: TimePart
  readonly onPart: (part: TimePart) => void
}

const HEIGHT = 40

export function WaterfallMinimap({ spans, shape, part, onPart }: WaterfallMinimapProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host)
  const shade = theme.value
  const paint = (pen: CanvasRenderingContext2D, ratio: number): void => {
    const known = new Map<string, string>()
    const colourOf = (row: number): string => {
      const service = spans.service(row)
      let colour = known.get(service)
      if (colour === undefined) known.set(service, (colour = serviceColour(service, shade)))
      return colour
    }
    paintWaterfall(pen, shape, colourOf, width * ratio, HEIGHT * ratio)
  }

  const { drag, handlers } = useDrag(host, {
    onDrag: ({ from, to }) => {
      const [first, last] = [Math.min(from.x, to.x), Math.max(from.x, to.x)].map(x => (x / width) * shape.whole)
      onPart({ from: first, until: last })
    },
  })
  const [first, last] =
    drag === undefined
      ? [part.from, part.until].map(time => time / (shape.whole || 1))
      : [drag.from.x, drag.to.x].map(x => x / (width || 1))
  const [left, right] = [Math.min(first, last), Math.max(first, last)]
  const isWhole = left <= 0 && right >= 1
  return (
    <div class="waterfall-overview">
      <p class="waterfall-overview-text muted">
        {isWhole ? (
          `${formatDuration(shape.whole)} · drag to zoom`
        ) : (
          <button type="button" onClick={() => onPart({ from: 0, until: shape.whole })}>
            Reset zoom ({formatDuration(shape.whole)})
          </button>
        )}
      </p>
      <div
        class="waterfall-minimap"
        ref={host}
        {...handlers}
        onDblClick={() => onPart({ from: 0, until: shape.whole })}
      >
        <PlotCanvas width={width} height={HEIGHT} inputs={[spans, shape, shade]} paint={paint} />
        {!isWhole && (
          <>
            <span class="waterfall-dim" style={{ left: 0, width: `${100 * left}%` }} />
            <span class="waterfall-dim" style={{ left: `${100 * right}%`, right: 0 }} />
          </>
        )}
      </div>
    </div>
  )
}

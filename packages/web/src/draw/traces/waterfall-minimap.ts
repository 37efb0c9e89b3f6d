// All spans of a trace in a small image: a line each, from top to bottom like the rows.
import type { WaterfallSpans } from './waterfall-spans.ts'

export type MinimapPen = Pick<CanvasRenderingContext2D, 'clearRect' | 'fillRect' | 'fillStyle'>

/** Paints at most as many lines as there are pixels. */
export function paintWaterfall(
  pen: MinimapPen,
  spans: WaterfallSpans,
  colours: (row: number) => string,
  width: number,
  height: number,
): void {
  pen.clearRect(0, 0, width, height)
  if (spans.length === 0 || spans.whole === 0) return
  const thick = Math.max(1, Math.min(4, Math.floor(height / spans.length)))
  /** The end of the painted part on each line, so 100,000 spans do not make 100,000 rectangles. */
  const painted = new Float64Array(height).fill(-1)
  for (let row = 0; row < spans.length; row++) {
    const y = Math.min(height - thick, Math.floor((row * height) / spans.length))
    const from = Math.floor((spans.start[row] / spans.whole) * width)
    const to = Math.max(from + 1, Math.ceil(((spans.start[row] + spans.duration[row]) / spans.whole) * width))
    if (from >= 0 && to <= painted[y] && thick === 1) continue
    pen.fillStyle = colours(row)
    pen.fillRect(from, y, to - from, thick)
    painted[y] = Math.max(painted[y], to)
  }
}

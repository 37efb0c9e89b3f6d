// All spans of a trace at once, however many: a line each, from top to bottom as the rows are.
import type { WaterfallSpans } from './waterfall-spans.ts'

export type MinimapPen = Pick<CanvasRenderingContext2D, 'clearRect' | 'fillRect' | 'fillStyle'>

/** More lines than pixels would only be painted over. */
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
  /** On each line of pixels how far it is painted, so that 100,000 spans do not make as many rectangles. */
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

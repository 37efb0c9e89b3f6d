// A canvas that is painted again when its size or an input changes.
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface PlotCanvasProps {
  /** CSS pixels; 0 until it is known. */
  readonly width: number
  readonly height: number
  /** The values that `paint` depends on. */
  readonly inputs: readonly unknown[]
  /** `ratio` is the number of canvas pixels per CSS pixel. The canvas is empty. */
  readonly paint: (pen: CanvasRenderingContext2D, ratio: number) => void
}

export function PlotCanvas({ width, height, inputs, paint }: PlotCanvasProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    const pen = canvas.current!.getContext('2d')
    if (pen === null || width === 0) return
    pen.canvas.width = width * devicePixelRatio
    pen.canvas.height = height * devicePixelRatio
    paint(pen, devicePixelRatio)
  }, [width, height, ...inputs])
  return <canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} />
}

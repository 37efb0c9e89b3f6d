// Lines of pixels by way of a canvas of their own, one pixel high each, from which they are stretched onto another.
import type { RowPixels } from './paint.ts'

export class CanvasLines implements RowPixels {
  readonly #target: CanvasRenderingContext2D
  readonly #source: CanvasRenderingContext2D
  #image: ImageData | undefined

  constructor(target: CanvasRenderingContext2D) {
    // In memory rather than on a GPU: it is written anew for every frame.
    const source = document.createElement('canvas').getContext('2d', { alpha: false, willReadFrequently: true })
    if (source === null) throw new Error('the browser gives no canvas to draw on')
    this.#source = source
    this.#target = target
  }

  take(width: number, rows: number): Uint32Array {
    // Neither may be 0.
    const [wide, high] = [Math.max(1, width), Math.max(1, rows)]
    if (this.#image === undefined || this.#image.width !== wide || this.#image.height < high) {
      this.#image = new ImageData(wide, high)
      this.#source.canvas.width = wide
      this.#source.canvas.height = high
    }
    return new Uint32Array(this.#image.data.buffer)
  }

  written(): void {
    if (this.#image !== undefined) this.#source.putImageData(this.#image, 0, 0)
  }

  draw(row: number, from: number, until: number, y: number, height: number): void {
    this.#target.imageSmoothingEnabled = false
    this.#target.drawImage(this.#source.canvas, from, row, until - from, 1, from, y, until - from, height)
  }
}

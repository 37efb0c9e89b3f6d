// Draws rows of pixels: each is one pixel high on a canvas of its own and is stretched onto another canvas.
import type { RowPixels } from './paint.ts'

export class CanvasLines implements RowPixels {
  readonly #target: CanvasRenderingContext2D
  readonly #source: CanvasRenderingContext2D
  #image: ImageData | undefined

  constructor(target: CanvasRenderingContext2D) {
    // Kept in memory instead of on a GPU, because every frame writes it again.
    const source = document.createElement('canvas').getContext('2d', { alpha: false, willReadFrequently: true })
    if (source === null) throw new Error('the browser cannot create a 2D canvas')
    this.#source = source
    this.#target = target
  }

  take(width: number, rows: number): Uint32Array {
    // A canvas must be at least one pixel wide and high.
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

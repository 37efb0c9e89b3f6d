// Two canvases that fill an element: the lower one for the picture, the upper one for marks, so that a mark that moves does
// not redraw the picture. The upper one receives the events and the focus.

export class CanvasLayers {
  readonly upper: HTMLCanvasElement
  readonly pen: CanvasRenderingContext2D
  readonly upperPen: CanvasRenderingContext2D
  readonly #host: HTMLElement
  readonly #lower: HTMLCanvasElement
  readonly #observer: ResizeObserver
  #width = 0
  #height = 0

  constructor(host: HTMLElement, label: string, onResize: () => void) {
    this.#host = host
    this.#lower = layerIn(host)
    this.#lower.setAttribute('aria-hidden', 'true')
    this.upper = layerIn(host)
    takeKeys(this.upper, label)
    this.upper.style.touchAction = 'none'
    this.pen = penOf(this.#lower, false)
    this.upperPen = penOf(this.upper, true)
    this.#measure()
    this.#observer = new ResizeObserver(() => {
      this.#measure()
      onResize()
    })
    this.#observer.observe(host)
  }

  /** CSS pixels. */
  get width(): number {
    return this.#width
  }

  get height(): number {
    return this.#height
  }

  /** Canvas pixels per CSS pixel. */
  get ratio(): number {
    return Math.max(1, window.devicePixelRatio)
  }

  /** Gives the canvases the size of the element. Sets it only if it changed, because setting it clears the canvas. */
  fit(): void {
    const { ratio } = this
    const [width, height] = [Math.round(this.#width * ratio), Math.round(this.#height * ratio)]
    for (const canvas of [this.#lower, this.upper]) {
      if (canvas.width === width && canvas.height === height) continue
      canvas.width = width
      canvas.height = height
    }
  }

  destroy(): void {
    this.#observer.disconnect()
    this.#lower.remove()
    this.upper.remove()
  }

  #measure(): void {
    this.#width = this.#host.clientWidth
    this.#height = this.#host.clientHeight
  }
}

/** Lets the canvas take the focus and the keys. Its label names the keys, and the UI announces their effect. */
export function takeKeys(canvas: HTMLCanvasElement, label: string): void {
  canvas.tabIndex = 0
  // Screen readers pass all keys only to the role "application".
  canvas.setAttribute('role', 'application')
  canvas.setAttribute('aria-label', label)
  // Outside of the element, the outline would be clipped by its container.
  canvas.style.outlineOffset = '-2px'
}

export function layerIn(host: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  Object.assign(canvas.style, { position: 'absolute', inset: '0', width: '100%', height: '100%', display: 'block' })
  host.append(canvas)
  return canvas
}

export function penOf(canvas: HTMLCanvasElement, alpha: boolean): CanvasRenderingContext2D {
  const pen = canvas.getContext('2d', { alpha })
  if (pen === null) throw new Error('the browser cannot create a 2D canvas')
  return pen
}

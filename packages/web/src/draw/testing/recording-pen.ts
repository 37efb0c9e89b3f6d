// A pen that draws nothing and records every call.
import { pixelOf } from '../oklch.ts'
import type { Pen, RowPixels } from '../flame-graph/paint.ts'

export interface Drawn {
  readonly kind: 'fill' | 'stroke' | 'clear' | 'text'
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly text: string
}

export class RecordingPen implements Pen {
  readonly drawn: Drawn[] = []
  fillStyle: Pen['fillStyle'] = ''
  strokeStyle: Pen['strokeStyle'] = ''
  lineWidth = 1
  font = ''
  textBaseline: Pen['textBaseline'] = 'alphabetic'

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#add('fill', x, y, width, height, this.fillStyle)
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#add('stroke', x, y, width, height, this.strokeStyle)
  }

  clearRect(x: number, y: number, width: number, height: number): void {
    this.#add('clear', x, y, width, height, '')
  }

  fillText(text: string, x: number, y: number): void {
    this.#add('text', x, y, 0, 0, this.fillStyle, text)
  }

  of(kind: Drawn['kind']): readonly Drawn[] {
    return this.drawn.filter(one => one.kind === kind)
  }

  #add(
    kind: Drawn['kind'],
    x: number,
    y: number,
    width: number,
    height: number,
    colour: Pen['fillStyle'],
    text = '',
  ): void {
    this.drawn.push({ kind, x, y, width, height, colour: typeof colour === 'string' ? colour : 'pattern', text })
  }
}

/** Lines that are drawn as their visible boxes: runs of one colour that is not the paper. */
export class RecordingLines implements RowPixels {
  readonly #pen: RecordingPen
  readonly #paper: number
  #pixels = new Uint32Array(0)
  #width = 0

  constructor(pen: RecordingPen, paper: string) {
    this.#pen = pen
    this.#paper = pixelOf(paper)
  }

  take(width: number, rows: number): Uint32Array {
    this.#width = width
    return (this.#pixels = new Uint32Array(width * rows))
  }

  written(): void {}

  draw(row: number, from: number, end: number, y: number, height: number): void {
    const line = this.#pixels.subarray(row * this.#width, (row + 1) * this.#width)
    for (let x = 0; x < line.length;) {
      let until = x + 1
      while (until < end && line[until] === line[x]) until++
      if (line[x] !== this.#paper) {
        this.#pen.fillStyle = colourOf(line[x])
        this.#pen.fillRect(x, y, until - x, height)
      }
      x = until
    }
  }
}

function colourOf(pixel: number): string {
  return `#${[pixel, pixel >>> 8, pixel >>> 16].map(byte => (byte & 255).toString(16).padStart(2, '0')).join('')}`
}

// A flame graph in terminal cells, root at the top. `▌` splits a cell into halves whose colours belong to two frames, so edges
// fall on half cells and 100 columns distinguish shares of 0.5 %.
//
//   main                      one line per depth; a frame is as wide as its share
//   run              idle
//   gc      ▌
import type { CallTree } from '@hearth/profile'
import { NONE, formatShare } from '@hearth/profile'
import { frameColor, sgr } from './frame-color.ts'
import { cells, clipped, printable } from '../terminal/printable.ts'
import type { ColorDepth } from '../terminal/terminal.ts'

export interface IcicleOptions {
  /** In cells. */
  readonly width: number
  readonly colors: ColorDepth
  /** Frames below this share of the total are hidden, 0 to 100. */
  readonly minPercent: number
  readonly maxDepth: number
}

/** A drawn frame, in half cells. */
interface Box {
  readonly node: number
  readonly from: number
  readonly to: number
}

/** Returns coloured lines. A tree whose sum is not above zero has no shares to draw. */
export function icicle(tree: CallTree, options: IcicleOptions): string[] {
  return layOut(tree, options).map(row => rowText(tree, row, options))
}

function layOut(tree: CallTree, { width, minPercent, maxDepth }: IcicleOptions): Box[][] {
  const { total, depth, end, length } = tree
  const whole = Number(tree.sum)
  if (!(whole > 0)) return []
  const scale = (2 * width) / whole
  const rows: Box[][] = []
  // The start of the next frame at each depth.
  const next: number[] = [0]
  for (let i = 0; i < length;) {
    const level = depth[i]
    const start = next[level]
    next[level] = start + Math.max(0, total[i])
    next[level + 1] = start
    const from = Math.round(start * scale)
    const to = Math.min(2 * width, Math.round(next[level] * scale))
    const hidden = to <= from || total[i] * 100 < minPercent * whole || level >= maxDepth
    if (hidden) i = end[i]
    else {
      ;(rows[level] ??= []).push({ node: i, from, to })
      i++
    }
  }
  return rows
}

function rowText(tree: CallTree, boxes: readonly Box[], { width, colors }: IcicleOptions): string {
  const names = boxes.map(({ node }) => printable(tree.frames.name[tree.frame[node]]))
  const paint = paintOf(names, colors)
  const owner = new Int32Array(2 * width).fill(NONE)
  boxes.forEach(({ from, to }, b) => owner.fill(b, from, to))
  let text = ''
  for (let cell = 0; cell < width;) {
    const left = owner[2 * cell]
    const right = owner[2 * cell + 1]
    if (left !== right) {
      text += halfCell(paint, left, right)
      cell++
      continue
    }
    let stop = cell + 1
    while (stop < width && owner[2 * stop] === left && owner[2 * stop + 1] === left) stop++
    if (left === NONE) text += ' '.repeat(stop - cell)
    else {
      const label = labelText(names[left], formatShare(tree.total[boxes[left].node], tree.sum), stop - cell)
      text += styled(`${BLACK};${paint[left].background}`, label)
    }
    cell = stop
  }
  return text.trimEnd()
}

interface Paint {
  readonly letters: string
  readonly background: string
}

const BLACK = '38;5;16'

/** Neighbours with the same name, such as children of two parents, get two shades. */
function paintOf(names: readonly string[], colors: ColorDepth): Paint[] {
  let dimmed = false
  return names.map((name, b) => {
    dimmed = b > 0 && name === names[b - 1] && !dimmed
    const color = frameColor(name, dimmed)
    return { letters: sgr(38, color, colors), background: sgr(48, color, colors) }
  })
}

function halfCell(paint: readonly Paint[], left: number, right: number): string {
  if (left === NONE) return styled(paint[right].letters, '▐')
  if (right === NONE) return styled(paint[left].letters, '▌')
  return styled(`${paint[left].letters};${paint[right].background}`, '▌')
}

/** Exactly `width` cells: the name and the share, the name only, its start, or nothing. */
function labelText(name: string, share: string, width: number): string {
  const both = `${name} ${share}`
  // Two letters and an ellipsis are unreadable.
  const text = cells(both) <= width ? both : width < 3 ? '' : clipped(name, width)
  return text + ' '.repeat(width - cells(text))
}

function styled(parameters: string, text: string): string {
  return `\u001b[${parameters}m${text}\u001b[0m`
}

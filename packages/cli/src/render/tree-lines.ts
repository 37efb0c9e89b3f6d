// A call tree as indented text, for pipes, files and terminals without colours:
//
//    TOTAL   SHARE    SELF  FRAME
//   6.00 s    100%     0 s  main
//   5.00 s   83.3%  2.00 s    run
//   3.00 s   50.0%  3.00 s      gc
import type { CallTree } from '@hearth/profile'
import { exactSelf, exactTotal, formatShare, formatValue } from '@hearth/profile'
import { countOf } from '../terminal/count-text.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

export interface TreeLinesOptions {
  readonly unit: string
  /** Frames below this share of the total are hidden, with their callees. 0 to 100. */
  readonly minPercent: number
  readonly maxDepth: number
  /** In cells. Undefined for lines of any length. */
  readonly width: number | undefined
}

export function treeLines(tree: CallTree, options: TreeLinesOptions): string[] {
  const { unit, minPercent, maxDepth, width } = options
  const { depth, end, total, frame, frames, sum, length } = tree
  const least = (Math.abs(Number(sum)) * minPercent) / 100
  const rows: string[][] = []
  let hidden = 0
  for (let i = 0; i < length;) {
    if (Math.abs(total[i]) < least || depth[i] >= maxDepth) {
      hidden += end[i] - i
      i = end[i]
      continue
    }
    const spent = exactTotal(tree, i)
    const name = '  '.repeat(depth[i]) + printable(frames.name[frame[i]])
    rows.push([formatValue(spent, unit), formatShare(spent, sum), formatValue(exactSelf(tree, i), unit), name])
    i++
  }
  const columns = [
    { title: 'TOTAL', align: 'right' },
    { title: 'SHARE', align: 'right' },
    { title: 'SELF', align: 'right' },
    { title: 'FRAME', flexible: true },
  ] as const
  const more = hidden > 0 ? [`and ${countOf(hidden, 'frame')} more (smaller or deeper)`] : []
  return [...table(columns, rows, width), ...more]
}

// A flame graph as text: in colours, or as an indented tree.
import type { CallTree } from '@hearth/profile'
import { icicle } from './icicle.ts'
import type { ColorDepth } from '../terminal/terminal.ts'
import { treeLines } from './tree-lines.ts'

export interface FlameLinesOptions {
  readonly unit: string
  readonly colors: ColorDepth
  /** In cells. Undefined for lines of any length. */
  readonly width: number | undefined
  readonly minPercent?: number | undefined
  readonly maxDepth?: number | undefined
}

/** Text has a line per frame, so it hides more than a drawing, where small frames take no space. */
export const TEXT_MIN_PERCENT = 0.5
/** Deep recursion would scroll the rest away. */
export const MAX_DEPTH = 200
const MAX_WIDTH = 1000

export function flameLines(tree: CallTree, options: FlameLinesOptions): string[] {
  const { unit, colors, width, minPercent, maxDepth = MAX_DEPTH } = options
  if (colors > 1 && tree.sum > 0n) {
    return icicle(tree, { width: Math.min(width ?? 80, MAX_WIDTH), colors, minPercent: minPercent ?? 0, maxDepth })
  }
  return treeLines(tree, { unit, minPercent: minPercent ?? TEXT_MIN_PERCENT, maxDepth, width })
}

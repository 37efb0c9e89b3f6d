// A call tree as indented text. The largest branches come first until the budget of tokens is used.
//
//   100% main
//     62.1% handle (self 1.2%)
//       60.9% render
import { BoundedText } from './bounded-text.ts'

export interface TextTree {
  readonly parent: readonly number[]
  readonly frame: readonly number[]
  readonly self: readonly number[]
  readonly total: readonly number[]
  readonly name: (frame: number) => string
}

/** Smaller branches are summed up. */
const MIN_SHARE = 0.001

export function textTree(tree: TextTree, heading: readonly string[], tokens: number, advice: string): string {
  const { parent, total } = tree
  const children = new Map<number, number[]>()
  for (const [node, above] of parent.entries()) children.set(above, [...(children.get(above) ?? []), node])
  const roots = children.get(-1) ?? []
  const sum = roots.reduce((all, node) => all + total[node], 0)
  // The size of nodes decides which fit, so that a deep branch does not use the budget of the others.
  const order = total.map((value, node) => ({ value, node })).sort((a, b) => b.value - a.value)
  const shown = new Set<number>()
  const depths = depthsOf(parent)
  let characters = heading.join('\n').length
  let hidden = 0
  for (const { value, node } of order) {
    const line = lineOf(tree, node, depths[node], sum)
    const fits = characters + line.length + 1 <= tokens * 4 - 300
    if (value < MIN_SHARE * sum || !fits || (parent[node] !== -1 && !shown.has(parent[node]))) {
      hidden++
      continue
    }
    shown.add(node)
    characters += line.length + 1
  }
  const text = new BoundedText(tokens)
  text.addAll(heading)
  const visit = (node: number): void => {
    if (!shown.has(node)) return
    text.add(lineOf(tree, node, depths[node], sum))
    for (const child of (children.get(node) ?? []).toSorted((a, b) => total[b] - total[a])) visit(child)
  }
  for (const root of roots.toSorted((a, b) => total[b] - total[a])) visit(root)
  const note = hidden === 0 ? [] : [`(${hidden} smaller nodes are not shown. ${advice})`]
  return [text.text(advice), ...note].join('\n')
}

function depthsOf(parent: readonly number[]): number[] {
  const depths: number[] = []
  // Parents come before their children.
  for (const above of parent) depths.push(above === -1 ? 0 : depths[above] + 1)
  return depths
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '0%' : `${Number(((100 * part) / whole).toPrecision(3))}%`
}

function lineOf({ frame, self, total, name }: TextTree, node: number, depth: number, sum: number): string {
  const own = self[node] > 0.005 * sum ? ` (self ${percent(self[node], sum)})` : ''
  // Deep trees would consist of spaces.
  const indent = depth <= 40 ? ' '.repeat(depth) : `${' '.repeat(40)}[${depth}] `
  return `${indent}${percent(total[node], sum)} ${name(frame[node])}${own}`
}

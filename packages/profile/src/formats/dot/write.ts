// Writes a call graph as DOT: nodes with the self and total values of functions, edges with the value that a caller spent in a
// callee. Larger values are drawn larger and redder. A legend states what is shown and what is hidden.
import { framesFor } from '../../analyze/profile-tree.ts'
import { formatShare, formatValue } from '../../model/text/format-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import type { Measure } from '../one-measure.ts'
import { chooseMeasure, countSummedUp } from '../one-measure.ts'
import type { CallGraph, GraphEdge, GraphNode } from './call-graph.ts'
import { callGraph } from './call-graph.ts'

export interface DotOptions extends WriteOptions {
  /** The maximum number of functions; default 80. The largest are shown. */
  readonly maxNodes?: number
  /** Edges below this share of the total are hidden; default 0.001. */
  readonly minShare?: number
}

/** Throws RangeError if maxNodes is not a positive integer. */
export function writeDot(profiles: Profiles, options: DotOptions = {}): WriteResult {
  const maxNodes = options.maxNodes ?? 80
  if (!Number.isInteger(maxNodes) || maxNodes < 1)
    throw new RangeError(`maxNodes must be a positive integer, not ${maxNodes}`)
  const notes = new NoteList()
  const measure = chooseMeasure(profiles, options.type, notes)
  countSummedUp(profiles, notes)
  const frames = framesFor(profiles, {})
  const graph = callGraph(profiles, measure.rows, frames, { maxNodes, minShare: options.minShare ?? 0.001 })
  notes.add('nodes-left-out', 'functions beyond the limit are hidden; the largest are shown', graph.hiddenNodes)
  notes.add('edges-left-out', 'calls too small for the graph are hidden', graph.hiddenEdges)
  const lines = [
    `digraph ${quoted([measure.type === '' ? 'profile' : measure.type])} {`,
    'node [shape=box, style=filled, fillcolor="#f8f8f8", fontname="Helvetica"]',
    'edge [fontname="Helvetica", fontsize=10]',
    legend(graph, measure),
    ...graph.nodes.map((node, i) =>
      nodeLine(node, i, graph, measure, frames.name(node.frame), frames.file(node.frame)),
    ),
    ...graph.edges.map(edge => edgeLine(edge, graph, measure)),
    '}',
    '',
  ]
  return { bytes: encodeUtf8(lines.join('\n')), notes: notes.list() }
}

function legend(graph: CallGraph, { type, unit, rows }: Measure): string {
  const { shown, sum, nodes, hiddenNodes, hiddenEdges } = graph
  const texts =
    rows.length === 0
      ? ['no profile']
      : [
          `Type: ${type}`,
          `Total: ${formatValue(sum, unit)}`,
          `Showing ${nodes.length} functions with a self value of ${formatValue(shown, unit)}, ${formatShare(shown, sum)} of the total`,
          ...(hiddenNodes === 0 ? [] : [`Hidden: ${hiddenNodes} smaller functions`]),
          ...(hiddenEdges === 0 ? [] : [`Hidden: ${hiddenEdges} smaller calls`]),
        ]
  return `legend [shape=note, fontsize=16, fillcolor="#ffffff", label=${quoted(texts, LEFT)}]`
}

function nodeLine(node: GraphNode, i: number, graph: CallGraph, { unit }: Measure, name: string, file: string): string {
  const { self, total } = node
  const lines = [name, `${formatValue(self, unit)} (${formatShare(self, graph.sum)})`]
  if (total !== self) lines.push(`of ${formatValue(total, unit)} (${formatShare(total, graph.sum)})`)
  const share = portion(self, graph.sum)
  const tooltip = quoted([file === '' ? name : `${name} (${file})`, formatValue(total, unit)])
  return (
    `n${i} [label=${quoted(lines)}, tooltip=${tooltip}, fontsize=${Math.round(8 + 30 * Math.sqrt(share))}, ` +
    `color="${shade(portion(total, graph.sum), 0.7)}", fillcolor="${shade(portion(total, graph.sum), 0.95)}"]`
  )
}

function edgeLine({ from, to, weight, indirect }: GraphEdge, graph: CallGraph, { unit }: Measure): string {
  const share = portion(weight, graph.sum)
  const style = indirect ? ', style=dashed' : ''
  return (
    `n${from} -> n${to} [label=${quoted([` ${formatValue(weight, unit)}`])}, weight=${1 + Math.round(100 * share)}, ` +
    `penwidth=${(1 + 5 * share).toFixed(2)}, color="${shade(share, 0.7)}"${style}]`
  )
}

function portion(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Math.min(1, Math.abs(Number(part) / Number(whole)))
}

/** A colour from grey to red, as hue, saturation and value for Graphviz. */
function shade(share: number, value: number): string {
  return `0.000 ${(0.05 + 0.75 * Math.sqrt(share) * (value > 0.9 ? 0.4 : 1)).toFixed(3)} ${value.toFixed(3)}`
}

/** Line ends in DOT strings: centred and left-aligned. */
const CENTRED = '\\n'
const LEFT = '\\l'

/** A DOT string with one line for each text. */
function quoted(texts: readonly string[], end: string = CENTRED): string {
  // oxlint-disable-next-line no-control-regex -- control characters would end the line or the file
  const clean = texts.map(text => text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').replaceAll(/[\\"]/g, '\\$&'))
  return `"${clean.join(end)}${end === LEFT ? LEFT : ''}"`
}

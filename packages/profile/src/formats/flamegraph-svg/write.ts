// Writes a flame graph as SVG: boxes that any viewer shows, and a script that zooms and searches where scripts run.
import type { CallTree } from '../../analyze/tree/call-tree.ts'
import { callTree } from '../../analyze/profile-tree.ts'
import { exactTotal } from '../../analyze/tree/exact-values.ts'
import { NONE } from '../../model/columns/brand.ts'
import { formatShare, formatValue } from '../../model/text/format-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import type { Measure } from '../one-measure.ts'
import { chooseMeasure, countSummedUp } from '../one-measure.ts'
import { colourOf } from './colour.ts'
import { escapeXml } from './escape-xml.ts'
import { SCRIPT, STYLE } from './script.ts'

export interface FlamegraphSvgOptions extends WriteOptions {
  readonly title?: string
  /** Width in pixels; default 1200. */
  readonly width?: number
}

const SIDE = 10
const ROW = 16
const ABOVE = 50
const BELOW = 30
/** Narrower boxes, in pixels, are hidden: they would be invisible, and there may be millions. */
const MIN_WIDTH = 0.1
/** The width of a 12-pixel monospaced letter. */
const LETTER = 7.2
/** With more boxes a browser takes seconds to open the file. */
const MAX_BOXES = 50_000

export function writeFlamegraphSvg(profiles: Profiles, options: FlamegraphSvgOptions = {}): WriteResult {
  const notes = new NoteList()
  const measure = chooseMeasure(profiles, options.type, notes)
  countSummedUp(profiles, notes)
  const width = Math.max(200, options.width ?? 1200)
  const tree = callTree(profiles, measure.rows)
  return {
    bytes: encodeUtf8(picture(tree, measure, options.title ?? 'Flame graph', width, notes)),
    notes: notes.list(),
  }
}

interface Box {
  readonly name: string
  readonly label: string
  /** Position from 0 to 1. */
  readonly x: number
  readonly width: number
  readonly row: number
  readonly colour: string
}

function picture(tree: CallTree, measure: Measure, title: string, width: number, notes: NoteList): string {
  const boxes = layOut(tree, measure, width - 2 * SIDE, notes)
  const rows = boxes.reduce((most, box) => Math.max(most, box.row), 0) + 1
  const height = ABOVE + rows * ROW + BELOW
  const baseline = height - BELOW
  const heading = measure.rows.length === 0 ? 'no profile' : `${measure.type}: ${formatValue(tree.sum, measure.unit)}`
  const texts = [
    `<text class="h" x="${width / 2}" y="24">${escapeXml(`${title}, ${heading}`)}</text>`,
    `<text id="zoom-out" class="b hidden" x="${SIDE}" y="24">Reset zoom</text>`,
    `<text id="search" class="b" x="${width - SIDE}" y="24" text-anchor="end">Search</text>`,
    `<text id="details" x="${SIDE}" y="${height - 10}"> </text>`,
    `<text id="matched" x="${width - SIDE}" y="${height - 10}" text-anchor="end"> </text>`,
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="100%" height="100%"/>`,
    ...texts,
    `<g id="frames" data-left="${SIDE}" data-width="${width - 2 * SIDE}">`,
    ...boxes.map(box => drawn(box, width - 2 * SIDE, baseline)),
    `</g>`,
    `<script type="text/ecmascript"><![CDATA[${SCRIPT}]]></script>`,
    `</svg>\n`,
  ].join('\n')
}

function layOut(tree: CallTree, { unit }: Measure, pixels: number, notes: NoteList): Box[] {
  const weights = widthsOf(tree)
  let whole = 0
  for (let i = 0; i < tree.length; i = tree.end[i]) whole += weights[i]
  const share = (i: number): string => formatShare(exactTotal(tree, i), tree.sum)
  const boxes: Box[] = [
    { name: 'all', label: `${formatValue(tree.sum, unit)}, 100%`, x: 0, width: 1, row: 0, colour: colourOf('all', '') },
  ]
  // The position of the next child of each node; the last entry is for the roots.
  const next = new Float64Array(tree.length + 1)
  let hidden = 0
  const narrowest = Math.max((MIN_WIDTH / pixels) * whole, nthLargest(weights, MAX_BOXES))
  for (let i = 0; i < tree.length; i++) {
    const parent = tree.parent[i] === NONE ? tree.length : tree.parent[i]
    const x = next[parent]
    const width = whole === 0 ? 0 : weights[i] / whole
    next[parent] = x + width
    next[i] = x
    if (weights[i] < narrowest || weights[i] === 0) {
      hidden += tree.end[i] - i
      // Its descendants are even narrower, so skip the subtree.
      i = tree.end[i] - 1
      continue
    }
    const { frames } = tree
    const frame = tree.frame[i]
    const file = frames.file[frame] || frames.mapping[frame]
    const value = `${formatValue(exactTotal(tree, i), unit)}, ${share(i)}`
    boxes.push({
      name: frames.name[frame],
      label: file === '' ? value : `${value}, ${file}`,
      x,
      width,
      row: tree.depth[i] + 1,
      colour: colourOf(frames.name[frame], frames.type[frame]),
    })
  }
  notes.add('nodes-left-out', 'calls too narrow for the flame graph are hidden', hidden)
  return boxes
}

/** Returns 0 if there are fewer values. A call is no wider than its caller, so the n widest calls form a tree. */
function nthLargest(values: Float64Array, n: number): number {
  return values.length < n ? 0 : values.slice().sort()[values.length - n]
}

/** Negative values are as wide as positive ones. Otherwise children would not fit into their parents. */
function widthsOf(tree: CallTree): Float64Array {
  const widths = tree.self.map(Math.abs)
  for (let i = tree.length - 1; i >= 0; i--) if (tree.parent[i] !== NONE) widths[tree.parent[i]] += widths[i]
  return widths
}

function drawn({ name, label, x, width, row, colour }: Box, pixels: number, baseline: number): string {
  const left = (SIDE + x * pixels).toFixed(2)
  const y = baseline - (row + 1) * ROW
  const size = width * pixels
  const title = escapeXml(`${name.replaceAll(/[\r\n]+/g, ' ')}\n${label}`)
  return (
    `<g class="f" data-x="${x.toFixed(9)}" data-w="${width.toFixed(9)}" data-r="${row}"><title>${title}</title>` +
    `<rect x="${left}" y="${y}" width="${size.toFixed(2)}" height="${ROW - 1}" rx="2" fill="${colour}"/>` +
    `<text x="${(Number(left) + 3).toFixed(2)}" y="${y + 12}">${escapeXml(fitted(name, size))}</text></g>`
  )
}

function fitted(name: string, pixels: number): string {
  const letters = Math.floor((pixels - 6) / LETTER)
  if (letters < 3) return ''
  const characters = Array.from(name)
  return characters.length <= letters ? name : `${characters.slice(0, letters - 2).join('')}..`
}

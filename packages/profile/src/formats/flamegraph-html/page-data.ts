// The data of a page: one tree and one table for each type of profile, over shared frames and strings. Columns are
// texts of varints (see varint-text.ts), everything else is JSON.
import type { FrameOptions } from '../../analyze/profile-tree.ts'
import { callTree, framesFor } from '../../analyze/profile-tree.ts'
import { exactSelf, exactTotal } from '../../analyze/tree/exact-values.ts'
import type { LocationFrames } from '../../analyze/stacks/location-frames.ts'
import { measureOf } from '../../analyze/stacks/stack-weights.ts'
import type { ProfileSummary } from '../../analyze/summary.ts'
import { profileSummary } from '../../analyze/summary.ts'
import type { TopTable } from '../../analyze/top.ts'
import { topTable } from '../../analyze/top.ts'
import { NONE } from '../../model/columns/brand.ts'
import { formatExact, formatShare, formatTime } from '../../model/text/format-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { earliest, latest } from '../../model/columns/time-range.ts'
import { parseUnit } from '../../model/text/units.ts'
import { frameLines } from './frame-lines.ts'
import { largestNodes } from './largest-nodes.ts'
import { packageName } from './package-name.ts'
import type { PageResource } from './page-resources.ts'
import { pageResources } from './page-resources.ts'
import { ALL_FRAME, HIDDEN_FRAME, treeText } from './tree-text.ts'
import { VarintText } from './varint-text.ts'

export interface PageOptions extends FrameOptions {
  /** Maximum nodes of each type's tree; the largest are kept. The default of 200,000 gives a page of about 3 MB. */
  readonly maxNodes?: number
}

export interface PageData {
  readonly strings: readonly string[]
  /** Columns: name, file, mapping, package, kind (rows of strings) and line, for each frame. */
  readonly frames: string
  readonly frameCount: number
  readonly resources: readonly PageResource[]
  readonly profiles: readonly PageProfile[]
}

/** 64-bit numbers are decimal texts. */
export interface PageProfile {
  readonly type: string
  readonly unit: PageUnit
  readonly total: string
  /** The number of observations if each has a timestamp. 0 if samples are sums. */
  readonly samples: number
  /** The number of profiles in the sum. */
  readonly merged: number
  /** The start time in UTC. Empty if unknown. */
  readonly time: string
  /** Nanoseconds from the earliest start to the latest end. */
  readonly duration: string
  /** Whether some value exceeds the exact range of doubles. */
  readonly exact: boolean
  readonly negative: boolean
  /** See tree-text.ts. */
  readonly tree: string
  readonly nodes: number
  readonly hiddenNodes: number
  /** For example `<0.1%`. */
  readonly hiddenShare: string
  /** Columns: frame, self, total of each row. */
  readonly table: string
  readonly rows: number
  readonly hiddenRows: number
}

/** One of this unit is `numerator / denominator` of the base of its kind; see model/text/units.ts. */
export interface PageUnit {
  readonly kind: string
  readonly numerator: string
  readonly denominator: string
  /** The text after an exact number, with its space. */
  readonly one: string
  readonly many: string
}

const DEFAULT_MAX_NODES = 200_000
/** Rows of the table that are kept even if the function has no box. */
const MIN_ROWS = 1000

export function pageData(profiles: Profiles, options: PageOptions = {}): PageData {
  const maxNodes = options.maxNodes ?? DEFAULT_MAX_NODES
  if (!Number.isInteger(maxNodes) || maxNodes < 1) throw new RangeError(`maxNodes must be at least 1, not ${maxNodes}`)
  const frames = new PageFrames(framesFor(profiles, options))
  const groups = new Map<string, number[]>()
  for (let i = 0; i < profiles.profiles.length; i++) {
    const measure = measureOf(profiles, i)
    const group = groups.get(measure)
    if (group === undefined) groups.set(measure, [i])
    else group.push(i)
  }
  const pages = Array.from(groups.values(), rows => pageProfile(profiles, rows, frames, maxNodes))
  return { ...frames.finish(), resources: pageResources(profiles), profiles: pages }
}

function pageProfile(profiles: Profiles, rows: readonly number[], frames: PageFrames, maxNodes: number): PageProfile {
  const summaries = rows.map(i => profileSummary(profiles, i))
  const { type, unit } = summaries[0]
  const tree = callTree(profiles, rows, { frames: frames.table })
  const largest = largestNodes(tree, maxNodes)
  const { text, nodes } = treeText(tree, largest, frame => frames.row(frame))
  const top = tableText(topTable(profiles, rows, { frames: frames.table }), frames)
  const { numerator, denominator, kind } = parseUnit(unit)
  const starts = summaries.filter(summary => summary.timeUnixNano > 0n)
  const start = earliest(starts.map(summary => summary.timeUnixNano))
  const end = latest(starts.map(summary => summary.timeUnixNano + summary.durationNano))
  return {
    type,
    unit: {
      kind,
      numerator: numerator.toString(),
      denominator: denominator.toString(),
      one: formatExact(1n, unit).slice(1),
      many: formatExact(2n, unit).slice(1),
    },
    total: tree.sum.toString(),
    samples: summaries.every(isTimed) ? summaries.reduce((sum, summary) => sum + summary.observations, 0) : 0,
    merged: rows.length,
    time: start === undefined ? '' : formatTime(start),
    duration: (start === undefined ? latest(summaries.map(s => s.durationNano))! : end! - start).toString(),
    exact: tree.selfExact !== undefined,
    negative: tree.self.some(value => value < 0),
    tree: text,
    nodes,
    hiddenNodes: tree.length - largest.keptCount,
    hiddenShare: formatShare(largest.hiddenShare, 1),
    ...top,
  }
}

function isTimed({ shape }: ProfileSummary): boolean {
  return shape === 'timestamps' || shape === 'both'
}

function tableText(top: TopTable, frames: PageFrames): Pick<PageProfile, 'table' | 'rows' | 'hiddenRows'> {
  const out = new VarintText()
  let rows = 0
  for (let i = 0; i < top.length; i++) {
    if (i >= MIN_ROWS && !frames.has(top.frame[i])) continue
    out.number(frames.row(top.frame[i]))
    out.signed(exactSelf(top, i))
    out.signed(exactTotal(top, i))
    rows++
  }
  return { table: out.text(), rows, hiddenRows: top.length - rows }
}

/** The frames of the page, numbered by first use, and the strings that they need. */
class PageFrames {
  readonly table: LocationFrames
  readonly #rows: Int32Array
  readonly #used: number[] = []
  readonly #strings = new Map<string, number>([['', 0]])

  constructor(table: LocationFrames) {
    this.table = table
    this.#rows = new Int32Array(table.length).fill(NONE)
  }

  has(frame: number): boolean {
    return this.#rows[frame] !== NONE
  }

  row(frame: number): number {
    if (this.#rows[frame] === NONE) {
      // Follows ALL_FRAME and HIDDEN_FRAME.
      this.#rows[frame] = this.#used.length + 2
      this.#used.push(frame)
    }
    return this.#rows[frame]
  }

  finish(): Pick<PageData, 'strings' | 'frames' | 'frameCount'> {
    const out = new VarintText()
    const lines = frameLines(this.table)
    const write = (name: string, file = '', mapping = '', group = '', kind = '', line = 0n): void => {
      for (const text of [name, file, mapping, group, kind]) out.number(this.#string(text))
      out.signed(line)
    }
    for (const special of [ALL_FRAME, HIDDEN_FRAME]) write(special === ALL_FRAME ? 'all' : '(smaller calls)')
    for (const frame of this.#used) {
      const name = this.table.name(frame)
      const file = this.table.file(frame)
      const mapping = this.table.mapping(frame)
      const kind = this.table.kind(frame) ?? ''
      write(name, file, mapping, packageName({ name, file, mapping, kind }), kind, lines(frame))
    }
    return { strings: [...this.#strings.keys()], frames: out.text(), frameCount: this.#used.length + 2 }
  }

  #string(text: string): number {
    const known = this.#strings.get(text)
    if (known !== undefined) return known
    this.#strings.set(text, this.#strings.size)
    return this.#strings.size - 1
  }
}

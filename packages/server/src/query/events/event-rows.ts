// The observations that events are made of, as columns, in any order.
//
// Profiles arrive as the lists that are stored, and only numbers say which observations are in the range. Laying out lists in the engine
// takes several times as long. It is done for large profiles that extend out of the range, and if only some samples are selected.
import type { Block } from '../../store/native/block.ts'
import type { ColumnValues } from '../../store/native/column-values.ts'
import { int32sOf, longsOf } from '../../store/native/raw-numbers.ts'
import type { RunningQuery } from '../query.ts'
import type { Selection } from '../select/selection.ts'
import { Intervals } from '../select/intervals.ts'
import type { ObservationColumns } from '../select/observations-sql.ts'
import { isListed, listedProfiles, observationsFrom } from '../select/observations-sql.ts'
import { Values } from '../statement.ts'
import type { EventLinks } from './event-links.ts'
import { LinkColumns } from './event-links.ts'

export interface EventRows {
  /** Ids of series, attribute sets and stacks: two words each. */
  readonly series: Int32Array
  readonly sets: Int32Array
  readonly stacks: Int32Array
  /** Nanoseconds since 1970. */
  readonly times: BigInt64Array
  readonly values: BigInt64Array
  /** Numbers of links. */
  readonly links: Uint32Array
  /** The number of observations outside of the time range that their profile states. */
  readonly outside: number
  /** The longest period of the profiles of each series, if they were read. */
  readonly periods?: ReadonlyMap<bigint, bigint>
}

/** A select of columns, with an additional condition on observations. */
export type Statement = (values: Values, columns: string, and?: string) => string

export interface RowsChoice {
  /** Includes intervals that begin before the range and extend into it. */
  readonly reaching: boolean
  /** Whether to count observations outside of the time of their profile. */
  readonly countOutside: boolean
}

function columnsOf({ hasCumulative }: Selection, reaching: boolean): ObservationColumns {
  // Cumulative profiles repeat the events of those before them.
  const measure = { cumulative: hasCumulative }
  const own = { row: ['time_unix_nano', 'duration_nano'], links: true, measure }
  return reaching ? { ...own, intervals: 'whole' } : own
}

export function statementOf(selection: Selection, reaching: boolean): Statement {
  const columns = columnsOf(selection, reaching)
  return (values, wanted, and = '') => `SELECT ${wanted} ${observationsFrom(selection, values, columns).sql}${and}`
}

/** The columns of one row per observation that `laidOutRows` reads. */
export function rowColumns(selection: Selection, values: Values): string {
  const outside = `toUInt8(${isOutside(selection, values, 'value')}) AS outside`
  return `series, sample_set, stack, toInt64(at) AS time, value, ${outside}, trace_head, trace_tail, span`
}

/**
 * Whether an event is outside of its profile's time range, if that has both ends. An interval that begins earlier and
 * ends inside is not. Uses columns of `profiles`, `at` and the value.
 */
export function isOutside({ series }: Selection, values: Values, value: string): string {
  const lasts = Intervals.of(series)?.takes(values, value, 'toInt64(time_unix_nano) - toInt64(at)') ?? '0'
  const isEarly = `(at < time_unix_nano AND NOT ${lasts})`
  return `time_unix_nano > 0 AND duration_nano > 0 AND (${isEarly} OR (at >= time_unix_nano AND at - time_unix_nano > duration_nano))`
}

export function laidOutRows(block: Block, links: EventLinks): EventRows {
  const column = (name: string): Uint8Array => (block.rows === 0 ? new Uint8Array(0) : block.column(name).raw)
  const ids = new LinkColumns(column('trace_head'), column('trace_tail'), column('span'))
  const numbers = new Uint32Array(block.rows)
  for (let row = 0; row < block.rows; row++) numbers[row] = links.add(ids, row)
  return {
    series: int32sOf(column('series')),
    sets: int32sOf(column('sample_set')),
    stacks: int32sOf(column('stack')),
    times: longsOf(column('time')),
    values: longsOf(column('value')),
    links: numbers,
    outside: column('outside').reduce((sum, each) => sum + each, 0),
  }
}

/** Whether `allRows` reads lists. */
export function arriveAsLists(selection: Selection): boolean {
  const { running, bySpan, hasCumulative } = selection
  return !bySpan && !hasCumulative && !running.unlinked && selection.samplesWhere(new Values()) === '1'
}

/** Throws QueryError if there are more than the query's maxRows observations. */
export async function allRows(selection: Selection, links: EventLinks, choice: RowsChoice): Promise<EventRows> {
  const { running } = selection
  if (!arriveAsLists(selection)) {
    const values = new Values()
    const sql = statementOf(selection, choice.reaching)(values, rowColumns(selection, values))
    return laidOutRows(await running.selectLimited(sql, values.all, 'events'), links)
  }
  const columns = columnsOf(selection, choice.reaching)
  const values = new Values()
  const outside = choice.countOutside ? isOutside(selection, values, 'value') : '0'
  const lists = listedProfiles(selection, values, outside, columns)
  const blocks = await running.selectBlocks(lists, values.all, countCheck(running))
  const parts = blocks.filter(({ rows }) => rows > 0).map(block => listedRows(block, links))
  if (blocks.some(block => block.rows > 0 && block.column('is_listed').raw.includes(0))) {
    const large = new Values()
    const { sql } = observationsFrom(selection, large, { ...columns, profiles: `NOT ${isListed(selection, large)}` })
    const statement = `SELECT ${rowColumns(selection, large)} ${sql}`
    parts.push(laidOutRows(await running.selectLimited(statement, large.all, 'events'), links))
  }
  const rows = concatenated(parts)
  running.checkRows(rows.times.length, 'events')
  return { ...rows, periods: periodsOf(blocks) }
}

/** Stops reading at the limit. */
function countCheck(running: RunningQuery): (block: Block) => void {
  let length = 0
  return block => {
    if (block.rows === 0) return
    const kept = block.column('kept').values
    length += block.column('list_times').values.length - kept.length
    for (const each of kept.length === 0 ? [] : kept.raw) length += each
    running.checkRows(length, 'events')
  }
}

function periodsOf(blocks: readonly Block[]): ReadonlyMap<bigint, bigint> {
  const periods = new Map<bigint, bigint>()
  for (const block of blocks) {
    if (block.rows === 0) continue
    const [series, ofRows] = [longsOf(block.column('series').raw), longsOf(block.column('period').raw)]
    for (let row = 0; row < block.rows; row++) {
      const id = BigInt.asUintN(64, series[row])
      if (ofRows[row] > (periods.get(id) ?? -1n)) periods.set(id, ofRows[row])
    }
  }
  return periods
}

/** The observations in the range of a block with one row per profile. */
function listedRows(block: Block, links: EventLinks): EventRows {
  const column = (name: string) => block.column(name)
  const timestamps = column('list_times')
  const times = longsOf(timestamps.values.raw)
  const values = longsOf(column('list_values').values.raw)
  const kept = keptOf(timestamps, column('kept'))
  const samples = samplesOf(int32sOf(column('list_counts').values.raw), times.length, kept)
  const profiles = int32sOf(column('series').raw)
  const series = new Int32Array(2 * times.length)
  for (let profile = 0; profile < block.rows; profile++) {
    const [low, high] = [profiles[2 * profile], profiles[2 * profile + 1]]
    for (let at = timestamps.from(profile), to = timestamps.to(profile); at < to; at++) {
      series[2 * at] = low
      series[2 * at + 1] = high
    }
  }
  let outside = 0
  for (let profile = 0; profile < block.rows; profile++) outside += column('counted').number(profile)
  return {
    series: pickedWords(series, kept),
    sets: pickedWords(int32sOf(column('list_sets').values.raw), samples),
    stacks: pickedWords(int32sOf(column('list_stacks').values.raw), samples),
    times: kept === undefined ? times : longsFrom(pickedWords(wordsOf(times), kept)),
    values: kept === undefined ? values : longsFrom(pickedWords(wordsOf(values), kept)),
    links: linksOf(block, links, samples),
    outside,
  }
}

/** The numbers of the observations in the range; undefined if all are. */
function keptOf(timestamps: ColumnValues, kept: ColumnValues): Int32Array | undefined {
  if (kept.values.length === 0) return undefined
  const isKept = kept.values.raw
  const found = new Int32Array(timestamps.values.length)
  let length = 0
  for (let profile = 0; profile < timestamps.length; profile++) {
    const [from, to] = [timestamps.from(profile), timestamps.to(profile)]
    const [first, isAll] = [kept.from(profile), kept.from(profile) === kept.to(profile)]
    for (let at = from; at < to; at++) if (isAll || isKept[first + at - from] === 1) found[length++] = at
  }
  return found.subarray(0, length)
}

/** The sample of each observation that is kept; undefined if all are, and each sample has one. */
function samplesOf(counts: Int32Array, length: number, kept: Int32Array | undefined): Int32Array | undefined {
  if (counts.every(count => count === 1)) return kept
  const samples = new Int32Array(length)
  let at = 0
  for (const [sample, count] of counts.entries()) {
    samples.fill(sample, at, at + count)
    at += count
  }
  return kept === undefined ? samples : kept.map(each => samples[each])
}

/** Pairs of words in this order; all of them if there is no order. */
function pickedWords(words: Int32Array, rows: Int32Array | undefined): Int32Array {
  if (rows === undefined) return words
  const picked = new Int32Array(2 * rows.length)
  for (let i = 0; i < rows.length; i++) {
    picked[2 * i] = words[2 * rows[i]]
    picked[2 * i + 1] = words[2 * rows[i] + 1]
  }
  return picked
}

function wordsOf({ buffer, byteOffset, length }: BigInt64Array): Int32Array {
  return new Int32Array(buffer, byteOffset, 2 * length)
}

function longsFrom({ buffer, byteOffset, length }: Int32Array): BigInt64Array {
  return new BigInt64Array(buffer, byteOffset, length / 2)
}

function linksOf(block: Block, links: EventLinks, samples: Int32Array | undefined): Uint32Array {
  const heads = block.column('link_heads')
  const ids = new LinkColumns(
    heads.values.raw,
    block.column('link_tails').values.raw,
    block.column('link_spans').values.raw,
  )
  const numbers = new Uint32Array(heads.values.length)
  for (let row = 0; row < numbers.length; row++) numbers[row] = links.add(ids, row)
  const sampleLinks = block.column('list_links')
  const stacks = block.column('list_stacks')
  const rows = int32sOf(sampleLinks.values.raw)
  const ofSamples = new Uint32Array(stacks.values.length)
  for (let profile = 0; profile < block.rows; profile++) {
    const [first, from] = [heads.from(profile), sampleLinks.from(profile)]
    // Samples after the last one with a link have no entry. Entries are numbers of links from 1, or 0.
    const length = sampleLinks.to(profile) - from
    for (let i = 0, at = stacks.from(profile); i < length; i++, at++) {
      const row = rows[from + i]
      if (row !== 0) ofSamples[at] = numbers[first + row - 1]
    }
  }
  if (samples === undefined) return ofSamples
  const picked = new Uint32Array(samples.length)
  for (let i = 0; i < picked.length; i++) picked[i] = ofSamples[samples[i]]
  return picked
}

function concatenated(parts: readonly EventRows[]): EventRows {
  const full = parts.filter(({ times }) => times.length > 0)
  if (full.length === 1) return full[0]
  const length = full.reduce((sum, { times }) => sum + times.length, 0)
  const all = {
    series: new Int32Array(2 * length),
    sets: new Int32Array(2 * length),
    stacks: new Int32Array(2 * length),
    times: new BigInt64Array(length),
    values: new BigInt64Array(length),
    links: new Uint32Array(length),
    outside: full.reduce((sum, { outside }) => sum + outside, 0),
  }
  let at = 0
  for (const { series, sets, stacks, times, values, links } of full) {
    all.series.set(series, 2 * at)
    all.sets.set(sets, 2 * at)
    all.stacks.set(stacks, 2 * at)
    all.times.set(times, at)
    all.values.set(values, at)
    all.links.set(links, at)
    at += times.length
  }
  return all
}

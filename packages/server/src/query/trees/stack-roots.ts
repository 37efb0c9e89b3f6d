// Attribute values at the root of stacks: `thread.name` above everything that a thread did. The engine groups samples
// by them in the sum. Their texts become frames here, numbered after those of the functions.
//
//   row     0     1     2            tree of thread.name     main ─┬ start ── run
//   stack   7     7     9                                          └ idle
//   label   main  gc    main                                 gc ── start ── run
import type { LocationFrames, RootsOf } from '@hearth/profile'
import { RootFrames } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import { attributeKey } from '../select/attribute-key.ts'
import type { Measure } from '../select/measure.ts'
import { QueryError } from '../query-error.ts'
import { samplesFrom } from '../select/samples-sql.ts'
import type { Selection } from '../select/selection.ts'
import { Grouping } from '../select/series-grouping.ts'
import type { Values } from '../statement.ts'

/** The root values of each row of sums. */
export interface RowRoots {
  /** For each row its label. */
  readonly labels: Int32Array
  /** For each label one text per key; empty if the attribute is absent. */
  readonly texts: readonly (readonly string[])[]
}

const MAX_ROOTS = 8

/** Undefined if there are no root attributes. */
export async function rootGrouping(selection: Selection, roots: readonly string[]): Promise<Grouping | undefined> {
  if (roots.length === 0) return undefined
  if (roots.length > MAX_ROOTS)
    throw new QueryError('argument', `more than ${MAX_ROOTS} attributes at the root; use fewer`)
  return await Grouping.of(selection.running, roots.map(attributeKey), selection.series)
}

/** The columns that distinguish roots. */
export function rootColumns(grouping: Grouping | undefined): string[] {
  return grouping === undefined ? [] : ['own', ...grouping.keys.map((_, k) => `g${k}`)]
}

/** `FROM … WHERE …` with one row per sample: `stack`, `total`, and the columns that distinguish roots. */
export function rootedFrom(
  selection: Selection,
  values: Values,
  measure: Pick<Measure, 'series' | 'factors' | 'cumulative' | 'snapshots'>,
  wide: boolean,
  grouping: Grouping | undefined,
): string {
  if (grouping === undefined) return samplesFrom(selection, values, measure, wide)
  // Observations always come from profiles, so they have their attributes.
  const bySpan = selection.bySpan && !selection.running.exact
  const columns = ['stack', 'total', `${grouping.own(values)} AS own`, ...grouping.columns(values, bySpan)]
  const samples = samplesFrom(selection, values, measure, wide, { sets: grouping.bySet })
  return `FROM (SELECT ${columns.join(', ')} ${samples})`
}

/** Rows with the columns of `rootColumns`. */
export function rowRoots(block: Block, grouping: Grouping): RowRoots {
  const columns = rootColumns(grouping).map(name => block.column(name))
  const labels = new Int32Array(block.rows)
  const texts: string[][] = []
  const known = new Map<string, number>()
  for (let row = 0; row < block.rows; row++) {
    const [own, ...numbers] = columns.map(column => column.number(row))
    const key = `${own} ${numbers.join(' ')}`
    let label = known.get(key)
    if (label === undefined) {
      label = texts.push(grouping.labels(own, numbers).map(value => value?.text ?? '')) - 1
      known.set(key, label)
    }
    labels[row] = label
  }
  return { labels, texts }
}

const NO_ROOTS = new Int32Array(0)

/** The table with the root frames of all sides, and those of each side. */
export function framesWithRoots(
  functions: LocationFrames,
  keys: readonly string[],
  sides: readonly (RowRoots | undefined)[],
): { readonly frames: LocationFrames; readonly roots: readonly RootsOf[] } {
  if (keys.length === 0) return { frames: functions, roots: sides.map(() => () => NO_ROOTS) }
  const found = new RootFrames(
    keys.map(key => attributeKey(key).name),
    functions.functions,
  )
  const roots = sides.map((side): RootsOf => {
    if (side === undefined) return () => NO_ROOTS
    const paths = side.texts.map(texts => Int32Array.from(texts, (text, k) => found.frame(k, text)))
    return row => paths[side.labels[row]]
  })
  return { frames: functions.withRoots(found.list), roots }
}

// The changed frames of two profiles, as a table and as JSON, wherever the profiles come from.
import type { Judgement, SnapshotMode } from '@hearth/profile'
import { canonicalUnit, formatShare, formatValue } from '@hearth/profile'
import { countOf } from '../terminal/count-text.ts'
import { printable } from '../terminal/printable.ts'
import { sumText } from '../files/select-profiles.ts'
import { table } from '../terminal/table.ts'

/** An exact sum, or an average per request, which need not be an integer. */
export type Amount = bigint | number

export interface Change {
  readonly before: Amount
  readonly after: Amount
  readonly delta: Amount
}

export interface ChangedFrame {
  readonly name: string
  readonly file: string
  readonly line: string | undefined
  /** A file and line, or a mapping. */
  readonly place: string
  readonly presence: 'new' | 'vanished' | 'both'
  readonly self: Change
  readonly total: Change
  /** Whether the change may be chance; undefined if that is unknown. */
  readonly significance?: { readonly self: Judgement; readonly total: Judgement }
}

export interface ComparedSide {
  readonly type: string
  readonly unit: string
  /** The original sum, not scaled, or its average per request. */
  readonly sum: Amount
  readonly profiles: number
  /** How snapshots of a state were combined. */
  readonly snapshots: SnapshotMode | undefined
  /** The number of requests that all values are the average of; undefined if they are sums. */
  readonly requests?: number
}

export interface ChangedFrames {
  readonly before: ComparedSide
  readonly after: ComparedSide
  readonly normalised: boolean
  /** The factor that values before were multiplied by. */
  readonly scale: number
  /** Sorted by the change of self, largest first. */
  readonly rows: readonly ChangedFrame[]
  /** The number of call tree nodes that are too small to be in a row. */
  readonly hidden: number
}

export interface ShownChanges {
  readonly sort: 'self' | 'total'
  readonly count: number | undefined
}

const SIGNIFICANCE: Readonly<Record<Judgement, string>> = { clear: 'high', likely: 'medium', chance: 'low' }

/** The default number of rows. */
export const CHANGED_ROWS = 30

/** Contains all rows unless `count` is given. */
export function changesJson(changes: ChangedFrames, { sort, count }: ShownChanges): object {
  const { before, after, normalised, scale, hidden } = changes
  return {
    type: after.type === '' ? before.type : after.type,
    unit: after.type === '' ? before.unit : after.unit,
    normalised,
    scale,
    before: before.sum.toString(),
    after: after.sum.toString(),
    ...(hidden > 0 ? { hidden } : {}),
    rows: sorted(changes.rows, sort)
      .slice(0, count)
      .map(({ name, file, line, presence, self, total, significance }) => ({
        name,
        file,
        line,
        presence,
        self: changeJson(self),
        total: changeJson(total),
        ...(significance === undefined ? {} : { significance: SIGNIFICANCE[significance[sort]] }),
      })),
  }
}

function changeJson({ before, after, delta }: Change): object {
  return { before: before.toString(), after: after.toString(), delta: delta.toString() }
}

export function changeLines(
  changes: ChangedFrames,
  { sort, count = CHANGED_ROWS }: ShownChanges,
  width: number | undefined,
): string[] {
  const { before, after, normalised, rows, hidden } = changes
  const unit = after.type === '' ? before.unit : after.unit
  const scaled = normalised ? `, scaled to the total of the second` : ''
  // Values in different units have no difference.
  if (before.profiles === 0 && after.profiles === 0) return ['before  no profiles', 'after   no profiles']
  const empty = before.profiles === 0 || after.profiles === 0
  const alike = empty || canonicalUnit(before.unit) === canonicalUnit(after.unit)
  const difference = minus(after.sum, before.sum)
  const heading = [
    `before  ${sideText(before)}${scaled}`,
    `after   ${sideText(after)}`,
    ...(alike ? [`change  ${signed(difference, unit)} (${signedShare(difference, before.sum)})`] : []),
    '',
  ]
  const changed = sorted(rows, sort).filter(row => Number(row[sort].delta) !== 0)
  if (changed.length === 0) return [...heading, 'No changes.']
  const whole = normalised || Number(before.sum) === 0 ? after.sum : before.sum
  const isJudged = rows.some(({ significance }) => significance !== undefined)
  const shown = changed
    .slice(0, count)
    .map(({ [sort]: value, presence, significance, name, place }) => [
      formatValue(value.before, unit),
      formatValue(value.after, unit),
      signed(value.delta, unit),
      signedShare(value.delta, whole),
      ...(isJudged ? [significance === undefined ? '' : SIGNIFICANCE[significance[sort]]] : []),
      presence === 'new' ? 'new' : presence === 'vanished' ? 'removed' : '',
      printable(name),
      printable(place),
    ])
  const columns = [
    { title: 'BEFORE', align: 'right' },
    { title: 'AFTER', align: 'right' },
    { title: 'DELTA', align: 'right' },
    { title: 'DELTA%', align: 'right' },
    ...(isJudged ? [{ title: 'SIGNIFICANCE' }] : []),
    { title: '' },
    { title: 'NAME', flexible: true },
    { title: 'FILE', flexible: true, cut: 'start' },
  ] as const
  const left = changed.length - shown.length
  const more = left > 0 ? [`and ${countOf(left, 'row')} more (-n ${changed.length} shows all)`] : []
  const small = hidden > 0 ? [`${countOf(hidden, 'call')} hidden because they are too small`] : []
  return [...heading, ...table(columns, shown, width), ...more, ...small]
}

/** The rows are sorted by the change of self. */
function sorted(rows: readonly ChangedFrame[], sort: ShownChanges['sort']): readonly ChangedFrame[] {
  if (sort === 'self') return rows
  return rows.toSorted((a, b) => byMagnitude(a.total.delta, b.total.delta))
}

export function minus(a: Amount, b: Amount): Amount {
  return typeof a === 'bigint' && typeof b === 'bigint' ? a - b : Number(a) - Number(b)
}

/** Sorts the larger magnitude first. */
export function byMagnitude(a: Amount, b: Amount): number {
  const [x, y] = [a < 0 ? -a : a, b < 0 ? -b : b]
  return x === y ? 0 : x < y ? 1 : -1
}

function sideText({ type, unit, sum, profiles, requests, snapshots }: ComparedSide): string {
  const text = sumText(type, unit, sum, profiles, snapshots)
  return requests === undefined ? text : `${text}, per request of ${requests.toLocaleString('en')}`
}

function signed(value: Amount, unit: string): string {
  return value > 0 ? `+${formatValue(value, unit)}` : formatValue(value, unit)
}

function signedShare(value: Amount, whole: Amount): string {
  const share = formatShare(value, whole)
  return value > 0 && whole > 0 ? `+${share}` : share
}

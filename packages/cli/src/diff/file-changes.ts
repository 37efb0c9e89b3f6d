// What changed between two profiles that are in memory, as rows.
import type { Profiles, TopDiff, ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal, hasVanished, isNew, topDiff } from '@hearth/profile'
import type { Change, ChangedFrame, ChangedFrames } from './changed-frames.ts'
import { CliError } from '../errors.ts'
import { placeText } from '../render/frame-text.ts'
import type { FrameOptions } from '../options.ts'
import type { SelectedProfiles } from '../files/select-profiles.ts'

export interface Compared {
  readonly profiles: Profiles
  readonly selected: SelectedProfiles
}

export interface CompareOptions extends Pick<FrameOptions, 'by' | 'inlined'> {
  readonly normalise?: boolean
}

export function fileChanges(before: Compared, after: Compared, options: CompareOptions): ChangedFrames {
  const { by, inlined, normalise = false } = options
  const rows = compared(() =>
    topDiff(
      { profiles: before.profiles, selection: before.selected.rows },
      { profiles: after.profiles, selection: after.selected.rows },
      { by, inlined, normalise },
    ),
  )
  return {
    before: side(before, rows.beforeSum),
    after: side(after, rows.afterSum),
    normalised: normalise,
    scale: rows.scale,
    rows: Array.from({ length: rows.length }, (_, i) => changedFrame(rows, i)),
    hidden: 0,
  }
}

/** What two profiles measure may differ in ways that only the comparison notices. */
function compared(compare: () => TopDiff): TopDiff {
  try {
    return compare()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new CliError(1, error.message, '--type picks what to compare.', { cause: error })
  }
}

function side({ selected: { rows, type, unit } }: Compared, sum: bigint): ChangedFrames['before'] {
  return { type, unit, sum, profiles: rows.length }
}

function changedFrame(rows: TopDiff, i: number): ChangedFrame {
  const { frames } = rows
  const frame = rows.frame[i]
  return {
    name: frames.name(frame),
    file: frames.file(frame),
    line: frames.line(frame)?.toString(),
    place: placeText(frames, frame),
    presence: isNew(rows, i) ? 'new' : hasVanished(rows, i) ? 'vanished' : 'both',
    self: changeOf(rows, i, 'self'),
    total: changeOf(rows, i, 'total'),
  }
}

function changeOf({ before, after, delta }: TopDiff, i: number, value: 'self' | 'total'): Change {
  return { before: valueOf(before, i, value), after: valueOf(after, i, value), delta: valueOf(delta, i, value) }
}

/** Normalised values are not whole. */
function valueOf(columns: ValueColumns, i: number, value: 'self' | 'total'): bigint {
  const near = value === 'self' ? columns.self[i] : columns.total[i]
  if (!Number.isInteger(near)) return BigInt(Math.round(near))
  return value === 'self' ? exactSelf(columns, i) : exactTotal(columns, i)
}

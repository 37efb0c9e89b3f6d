// The changes between two profiles in memory, as rows.
import type { Profiles, RunsComparison, TopDiff, TopTable, ValueColumns } from '@hearth/profile'
import {
  compareRuns,
  exactSelf,
  exactTotal,
  hasVanished,
  isNew,
  judgeRate,
  profilesAsRuns,
  topDiff,
} from '@hearth/profile'
import type { Change, ChangedFrame, ChangedFrames } from './changed-frames.ts'
import { CliError } from '../errors.ts'
import { placeText } from '../render/frame-text.ts'
import type { FrameOptions, SnapshotsOption } from '../options.ts'
import { snapshotsOf } from '../options.ts'
import type { SelectedProfiles } from '../files/select-profiles.ts'

export interface Compared {
  readonly profiles: Profiles
  readonly selected: SelectedProfiles
}

export interface CompareOptions extends Pick<FrameOptions, 'by' | 'inlined' | 'addresses'>, SnapshotsOption {
  readonly normalise?: boolean
}

export function fileChanges(before: Compared, after: Compared, options: CompareOptions): ChangedFrames {
  const { by, inlined, addresses = false, normalise = false } = options
  const rows = compared(() =>
    topDiff(
      { profiles: before.profiles, selection: before.selected.rows },
      { profiles: after.profiles, selection: after.selected.rows },
      { by, inlined, addresses, normalise, ...snapshotsOf(options) },
    ),
  )
  const runs = compareRuns(sideRuns(before), sideRuns(after), { by, inlined, addresses, ...snapshotsOf(options) })
  const position = new Map(Array.from(runs.frame, (frame, i) => [frame, i]))
  return {
    before: side(before, rows.beforeSum),
    after: side(after, rows.sum),
    normalised: normalise,
    scale: rows.scale,
    rows: Array.from({ length: rows.length }, (_, i) => changedFrame(rows, i, runs, position.get(rows.frame[i]))),
    hidden: 0,
  }
}

/** Only the comparison notices that two profiles cannot be compared. */
function compared(compare: () => TopDiff): TopDiff {
  try {
    return compare()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new CliError(1, error.message, 'Select the type to compare with --type.', { cause: error })
  }
}

function side({ selected: { rows, type, unit, snapshots } }: Compared, sum: bigint): ChangedFrames['before'] {
  return { type, unit, sum, profiles: rows.length, snapshots }
}

function sideRuns({ profiles, selected }: Compared): Parameters<typeof compareRuns>[0] {
  return { profiles, runs: profilesAsRuns(profiles, selected.rows) }
}

function changedFrame(rows: TopDiff, i: number, runs: RunsComparison, run: number | undefined): ChangedFrame {
  const { frames } = rows
  const frame = rows.frame[i]
  return {
    name: frames.name[frame],
    file: frames.file[frame],
    line: frames.line[frame] === '' ? undefined : frames.line[frame],
    place: placeText(frames, frame),
    presence: isNew(rows, i) ? 'new' : hasVanished(rows, i) ? 'vanished' : 'both',
    self: changeOf(rows, i, 'self'),
    total: changeOf(rows, i, 'total'),
    // Without data on both sides, nothing is known.
    ...(run === undefined || runs.runs.includes(0)
      ? {}
      : { significance: { self: judgeRate(runs.self.q[run]), total: judgeRate(runs.total.q[run]) } }),
  }
}

/** The change of a row of a diff. Normalised values are rounded. */
export function changeOf(rows: TopTable, i: number, value: 'self' | 'total'): Change {
  const was: ValueColumns = rows.before!
  const before = valueOf(was, i, value)
  const after = valueOf(rows, i, value)
  const near = rows[value][i] - was[value][i]
  return { before, after, delta: Number.isInteger(was[value][i]) ? after - before : BigInt(Math.round(near)) }
}

function valueOf(columns: ValueColumns, i: number, value: 'self' | 'total'): bigint {
  return value === 'self' ? exactSelf(columns, i) : exactTotal(columns, i)
}

// Copies the stored profiles of another server, window by window. A file remembers what is done, so that an interrupted import continues.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Profiles } from '@hearth/profile'
import { increaseSince, readProfile, withHeaders, writeProfile } from '@hearth/profile'
import { CliError } from '../errors.ts'
import type { StoredSeries, StoredSource, Window } from './stored-source.ts'

export interface ImportPlan {
  readonly source: StoredSource
  /** Names the import: its source, series and steps. The file of another import is rejected. */
  readonly about: string
  readonly range: Window
  readonly stepMs: number
  /** The path of the file that remembers what is done. */
  readonly stateFile: string
  /** The number of windows that are copied at the same time. */
  readonly parallel: number
  /** Stores one pprof profile with Pyroscope's labels. */
  readonly store: (labels: Readonly<Record<string, string>>, pprof: Uint8Array) => Promise<void>
  readonly onProgress: (progress: ImportProgress) => void
  readonly signal: AbortSignal
}

export interface ImportProgress {
  /** Series done, and all. */
  readonly done: number
  readonly all: number
  /** The series in progress, and the time that it has reached. */
  readonly key: string
  readonly at: number
  readonly profiles: number
}

export interface ImportResult {
  readonly series: number
  readonly profiles: number
  /** Windows that an earlier run had copied are not counted. */
  readonly bytes: number
}

interface State {
  readonly about: string
  /** The end of the last copied window of each series. */
  readonly done: Record<string, number>
}

/** A window of a series to copy. */
interface Part {
  readonly window: Window
  /** The reading of a counter whose values are subtracted. */
  readonly previous?: Window
  /** The end of the step that is done with this part. */
  readonly done: number
}

const DAY_MS = 86_400_000

export async function importProfiles(plan: ImportPlan): Promise<ImportResult> {
  const { source, range, onProgress, signal } = plan
  const state = readState(plan)
  const list = await source.series(range)
  let [profiles, bytes] = [0, 0]
  for (const [done, series] of list.entries()) {
    for (let from = Math.max(range.from, state.done[series.key] ?? 0); from < range.to;) {
      const to = Math.min(range.to, from + DAY_MS)
      const parts = await partsOf(series, { from, to }, plan)
      for (let i = 0; i < parts.length; i += plan.parallel) {
        signal.throwIfAborted()
        const some = parts.slice(i, i + plan.parallel)
        const copied = await Promise.all(some.map(async part => await copy(series, part, plan)))
        profiles += some.length
        bytes += copied.reduce((sum, size) => sum + size, 0)
        const at = some[some.length - 1].done
        remember(plan, state, series, at)
        onProgress({ done, all: list.length, key: series.key, at, profiles })
      }
      remember(plan, state, series, to)
      onProgress({ done, all: list.length, key: series.key, at: to, profiles })
      from = to
    }
  }
  return { series: list.length, profiles, bytes }
}

/** Copies all events of a step, and the last snapshot. */
async function partsOf(series: StoredSeries, range: Window, plan: ImportPlan): Promise<readonly Part[]> {
  const { source, stepMs } = plan
  if (series.kind === 'events') {
    const windows = await source.windows(series, range, stepMs)
    return windows.map(window => ({ window, done: window.to }))
  }
  // A counter continues from its last reading before the range. A reading without one only starts the count.
  const from = series.kind === 'counter' ? range.from - DAY_MS : range.from
  const last = new Map<number, Window>()
  for (const window of await source.snapshots(series, { from, to: range.to }))
    last.set(stepMs * Math.ceil(window.to / stepMs), window)
  const parts = Array.from(last, ([done, window]) => ({ done, window }))
  return parts.flatMap(({ done, window }, i): readonly Part[] => {
    if (done <= range.from) return []
    if (series.kind === 'state') return [{ window, done }]
    return i === 0 ? [] : [{ window, done, previous: parts[i - 1].window }]
  })
}

/** Returns the size of the profile. */
async function copy(series: StoredSeries, part: Part, { source, store }: ImportPlan): Promise<number> {
  const { window, previous } = part
  const read = async (at: Window): Promise<Profiles> =>
    readProfile(await source.profile(series, at), { format: 'pprof' }).profiles
  const current = await read(window)
  const profiles = previous === undefined ? current : increaseSince(await read(previous), current)
  const from = previous?.to ?? window.from
  // Merged profiles have the time of the query, or none.
  const timed = withHeaders(profiles, {
    resource: resource => resource,
    scope: scope => scope,
    profile: () => ({ timeUnixNano: BigInt(from) * 1_000_000n, durationNano: BigInt(window.to - from) * 1_000_000n }),
  })
  const { bytes } = writeProfile(timed, 'pprof')
  const { labels, name } = series
  const service = labels['service_name'] ?? labels['service.name'] ?? labels['job'] ?? labels['comm'] ?? 'imported'
  await store({ ...labels, __name__: name, service_name: service }, bytes)
  return bytes.length
}

function readState({ stateFile, about }: ImportPlan): State {
  let text: string
  try {
    text = readFileSync(stateFile, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { about, done: {} }
    throw new CliError(1, `cannot read ${stateFile}`, '', { cause: error })
  }
  let state: State
  try {
    state = JSON.parse(text) as State
  } catch (error) {
    throw new CliError(1, `${stateFile} is not the state of an import`, 'Use --state for another file.', {
      cause: error,
    })
  }
  if (state.about !== about)
    throw new CliError(
      1,
      `${stateFile} belongs to another import: ${state.about}`,
      'Use --state for another file, or delete it to start again.',
    )
  return state
}

function remember({ stateFile }: ImportPlan, state: State, { key }: StoredSeries, to: number): void {
  state.done[key] = to
  writeFileSync(`${stateFile}.tmp`, JSON.stringify(state))
  renameSync(`${stateFile}.tmp`, stateFile)
}

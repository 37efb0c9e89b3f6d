// Copies the stored profiles of another server, window by window. A file remembers what is done, so that an interrupted import continues.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isGaugeType, readProfile, withHeaders, writeProfile } from '@hearth/profile'
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

const DAY_MS = 86_400_000
/** Snapshots of a state are not added up: one of each step is copied, from a window that usually has no second one. */
const SNAPSHOT_MS = 15_000

export async function importProfiles(plan: ImportPlan): Promise<ImportResult> {
  const { source, range, onProgress, signal } = plan
  const state = readState(plan)
  const list = await source.series(range)
  let [profiles, bytes] = [0, 0]
  for (const [done, series] of list.entries()) {
    for (let from = Math.max(range.from, state.done[series.key] ?? 0); from < range.to;) {
      const to = Math.min(range.to, from + DAY_MS)
      const windows = await windowsOf(series, { from, to }, plan)
      for (let i = 0; i < windows.length; i += plan.parallel) {
        signal.throwIfAborted()
        const some = windows.slice(i, i + plan.parallel)
        const copied = await Promise.all(some.map(async window => await copy(series, window, plan)))
        profiles += some.length
        bytes += copied.reduce((sum, size) => sum + size, 0)
        remember(plan, state, series, some[some.length - 1].to)
        onProgress({ done, all: list.length, key: series.key, at: some[some.length - 1].to, profiles })
      }
      remember(plan, state, series, to)
      onProgress({ done, all: list.length, key: series.key, at: to, profiles })
      from = to
    }
  }
  return { series: list.length, profiles, bytes }
}

async function windowsOf(series: StoredSeries, range: Window, plan: ImportPlan): Promise<readonly Window[]> {
  const { source, stepMs } = plan
  if (!isGaugeType(series.type) || stepMs <= SNAPSHOT_MS) return await source.windows(series, range, stepMs)
  const last = new Map<number, Window>()
  for (const window of await source.windows(series, range, SNAPSHOT_MS))
    last.set(Math.ceil((window.to - range.from) / stepMs), window)
  return [...last.values()]
}

/** Returns the size of the profile. */
async function copy(series: StoredSeries, window: Window, { source, store }: ImportPlan): Promise<number> {
  const merged = await source.profile(series, window)
  const { from, to } = window
  // Merged profiles have the time of the query, or none.
  const { profiles } = readProfile(merged, { format: 'pprof' })
  const timed = withHeaders(profiles, {
    resource: resource => resource,
    scope: scope => scope,
    profile: () => ({ timeUnixNano: BigInt(from) * 1_000_000n, durationNano: BigInt(to - from) * 1_000_000n }),
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

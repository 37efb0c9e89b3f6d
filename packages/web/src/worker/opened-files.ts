// The open files of the worker, and requests about their profiles.
import { laneKindOf } from '@hearth/profile'
import type { CallTree, FunctionName, LaneKind, LayoutColumns, Profiles, ReadProfileResult } from '@hearth/profile'
import {
  callTree,
  canonicalUnit,
  concat,
  countedTotal,
  defaultProfile,
  diffTree,
  compareRuns,
  formats,
  layoutColumns,
  pickProfiles,
  profileSummary,
  profilesAsRuns,
  pruneFrames,
  readProfile,
  sandwich,
  summableRows,
  topDiff,
  topTable,
  varianceBetween,
  withRootFrames,
  writeProfile,
} from '@hearth/profile'
import type {
  DiffRow,
  DiffRows,
  FrameName,
  HeatMapResponse,
  HeatMapChoice,
  SandwichTrees,
  TimelineResult,
  TopColumns,
  TreeResult,
  TreeOrder,
  WrittenFile,
} from './results.ts'
import { distinctTypes } from '../timeline/distinct-types.ts'
import type { TimelineEvents } from '../timeline/events.ts'
import { attributeKeys } from './attribute-keys.ts'
import { fileDetails } from './file-details.ts'
import { heatMapOf } from './heat-map.ts'
import { namedBy } from './dropped-symbols.ts'
import type { FileDetails, FileMeasure, FilePart, FileSummary, WorkerRequests } from './messages.ts'
import { UNKNOWN_FILE } from './messages.ts'
import { browserCodecs, releaseMemory, withoutGzip } from './open-bytes.ts'
import { Parts } from './parts.ts'
import { timeline } from './timeline.ts'
import { timelineEvents } from './timeline-events.ts'

interface OpenFile {
  readonly summary: FileSummary
  /** As read. */
  readonly whole: ShownProfiles
  /** Without the frames that the file marks as uninteresting. */
  readonly pruned: ShownProfiles
  /** Rows of the profile table by `type:unit`, the default type first. */
  readonly rows: ReadonlyMap<string, readonly number[]>
}

interface ShownProfiles {
  readonly profiles: Profiles
  readonly parts: Parts
}

class UnknownFileError extends Error {
  override readonly name = UNKNOWN_FILE
}

export class OpenedFiles {
  readonly #files = new Map<string, OpenFile>()
  /** The events of the last flame chart. The next one is usually for another thread of the same file. */
  #charted: { readonly key: string; readonly events: TimelineEvents } | undefined

  async open({ file, name, content, symbols }: WorkerRequests['open']['request']): Promise<FileSummary> {
    const codecs = await browserCodecs()
    const { bytes, isUnpacked } = await withoutGzip(content)
    const read = readProfile(bytes, { fileName: name, codecs, lenient: true, onBytesRead: () => releaseMemory(bytes) })
    const dropped = await Promise.all(
      symbols.map(async each => ({ name: each.name, bytes: new Uint8Array(await each.content.arrayBuffer()) })),
    )
    const { profiles, named } =
      dropped.length === 0 ? { profiles: read.profiles, named: 0 } : namedBy(dropped, read.profiles, codecs)
    const pruned = pruneFrames(profiles)
    const rows = rowsByMeasure(profiles)
    const summary: FileSummary = {
      file,
      name,
      bytes: content.size,
      format: read.format.name,
      formatTitle: read.format.title,
      confidence: read.confidence,
      compression: isUnpacked ? 'gzip' : read.compression,
      notes: [...read.notes, ...pruned.notes],
      prunedSamples: pruned.samples,
      symbols: symbols.map(each => each.name),
      namedAddresses: named,
      measures: [...rows].map(([type, of]) => measureOf(profiles, type, of)),
      writable: writableFormats(read),
    }
    const shown = (each: Profiles): ShownProfiles => ({ profiles: each, parts: new Parts(each) })
    this.#files.set(file, { summary, whole: shown(profiles), pruned: shown(pruned.profiles), rows })
    return summary
  }

  tree(part: FilePart, order: TreeOrder): TreeResult {
    const { profiles, rows, measure } = this.#part(part)
    const tree = callTree(profiles, rows, { order, ...rootsOf(part) })
    return laidOut({ tree, type: measure.type, profiles: rows.length, hiddenSelf: 0n })
  }

  top(part: FilePart, byLine: boolean): TopColumns {
    const { profiles, rows } = this.#part(part)
    return topTable(profiles, rows, { by: byLine ? 'line' : 'function' })
  }

  sandwich(part: FilePart, { name, file }: FrameName): SandwichTrees | undefined {
    const { profiles, rows } = this.#part(part)
    const cut = (frame: FunctionName) => sandwich(profiles, rows, frame, rootsOf(part))
    const found = (file === '' ? undefined : cut({ name, file })) ?? cut({ name })
    if (found === undefined) return undefined
    const { frame, callers, callees, sum } = found
    const { frames } = callers
    return { name: frames.name[frame], file: frames.file[frame], callers, callees, sum }
  }

  timeline(part: FilePart, thread: string): TimelineResult {
    const { file, type, within, allFrames } = part
    const lanes = laneKindOf(thread)
    const key = [lanes, file, type, allFrames, within?.from, within?.until, ...(within?.threads ?? [])].join(' ')
    if (this.#charted?.key !== key) this.#charted = { key, events: this.events(part, lanes) }
    return laidOut(timeline(this.#charted.events, thread, this.#part(part).measure.type))
  }

  events(part: FilePart, lanes: LaneKind = 'thread'): TimelineEvents {
    const { summary, rows } = this.#file(part.file)
    const counted = summary.measures.map(({ type, unit, observations }) => ({ type, unit, alike: `${observations}` }))
    const { profiles, measure } = this.#part(part)
    return timelineEvents(
      profiles,
      distinctTypes(counted, measure.type).flatMap(type => summableRows(profiles, rows.get(type) ?? [])),
      lanes,
    )
  }

  heatMap(part: FilePart, choice: HeatMapChoice): HeatMapResponse {
    const { profiles, rows, measure } = this.#part(part)
    return { ...heatMapOf(profiles, summableRows(profiles, rows), choice), type: measure.type, unit: measure.unit }
  }

  diff(before: FilePart, after: FilePart, order: TreeOrder, absolute: boolean): TreeResult {
    const was = this.#part(before)
    const is = this.#part(after)
    const tree = diffTree(
      { profiles: was.profiles, selection: was.rows },
      { profiles: is.profiles, selection: is.rows },
      { order, normalise: !absolute, ...rootsOf(after) },
    )
    return laidOut({ tree, type: is.measure.type, profiles: is.rows.length, hiddenSelf: 0n })
  }

  diffRows(before: FilePart, after: FilePart): DiffRows {
    const was = this.#part(before)
    const is = this.#part(after)
    // Normalised, so files of different units can be compared. The values before are scaled back.
    const diff = topDiff(
      { profiles: was.profiles, selection: was.rows },
      { profiles: is.profiles, selection: is.rows },
      { normalise: true },
    )
    const rows = Array.from({ length: diff.length }, (_, i): DiffRow => {
      const frame = diff.frame[i]
      return {
        name: diff.frames.name[frame],
        file: diff.frames.file[frame],
        beforeSelf: Math.round(diff.before.self[i] / diff.scale),
        afterSelf: diff.self[i],
        beforeTotal: Math.round(diff.before.total[i] / diff.scale),
        afterTotal: diff.total[i],
      }
    })
    const runs = compareRuns(
      { profiles: was.profiles, runs: profilesAsRuns(was.profiles, was.rows) },
      { profiles: is.profiles, runs: profilesAsRuns(is.profiles, is.rows) },
    )
    const rateOf = new Map(Array.from(runs.frame, (frame, i) => [frame, runs.self.q[i]]))
    return {
      rows,
      rates: Array.from(diff.frame, frame => rateOf.get(frame) ?? 1),
      unit: is.measure.unit,
      beforeSum: Number(diff.beforeSum),
      afterSum: Number(diff.sum),
      beforeObservations: was.measure.observations,
      afterObservations: is.measure.observations,
      between: varianceBetween(runs.variation, runs.runs),
    }
  }

  observations(part: FilePart): number | undefined {
    return part.within === undefined ? this.#part(part).measure.observations : undefined
  }

  attributes(part: FilePart): readonly string[] {
    const { profiles, rows } = this.#part(part)
    return attributeKeys(profiles, rows)
  }

  details(file: string): FileDetails {
    return fileDetails(this.#file(file).whole.profiles)
  }

  async write(part: FilePart, format: string): Promise<WrittenFile> {
    const isWhole = part.type === '' && part.within === undefined
    const { profiles, rows } = isWhole
      ? { profiles: this.#file(part.file).whole.profiles, rows: undefined }
      : this.#part(part)
    const picked = rows === undefined ? profiles : pickProfiles(profiles, rows)
    const rooted = withRootFrames(picked, part.roots ?? [])
    return writeProfile(rooted, format, { codecs: await browserCodecs() })
  }

  #file(file: string): OpenFile {
    const open = this.#files.get(file)
    if (open === undefined) throw new UnknownFileError(`${file} is not open`)
    return open
  }

  #part({ file, type, within, allFrames = false }: FilePart): {
    readonly profiles: Profiles
    readonly rows: readonly number[]
    readonly measure: FileMeasure
  } {
    const { whole, pruned, rows, summary } = this.#file(file)
    const { profiles, parts } = allFrames ? whole : pruned
    const measure = summary.measures.find(each => each.type === type) ?? summary.measures[0]
    if (measure === undefined) return { profiles: concat([]), rows: [], measure: NOTHING }
    const chosen = rows.get(measure.type) ?? []
    return { profiles: within === undefined ? profiles : parts.of(chosen, within), rows: chosen, measure }
  }
}

const NOTHING: FileMeasure = {
  type: '',
  unit: '',
  profiles: 0,
  samples: 0,
  observations: 0,
  total: 0n,
  time: 0n,
  duration: 0n,
  timed: false,
}

function rootsOf({ roots, addresses = false }: FilePart): {
  readonly roots?: readonly string[]
  readonly addresses: boolean
} {
  return { ...(roots === undefined ? {} : { roots }), addresses }
}

function laidOut<Result extends { readonly tree: CallTree }>(
  result: Result,
): Result & { readonly layout: LayoutColumns } {
  return { ...result, layout: layoutColumns(result.tree) }
}

function rowsByMeasure(profiles: Profiles): Map<string, number[]> {
  const { strings } = profiles.dictionary
  const table = profiles.profiles
  const found = new Map<string, number[]>()
  for (let i = 0; i < table.length; i++) {
    const key = `${strings.text(table.type(i))}:${canonicalUnit(strings.text(table.unit(i)))}`
    const rows = found.get(key)
    if (rows === undefined) found.set(key, [i])
    else rows.push(i)
  }
  const first = defaultProfile(profiles)
  return new Map([...found].toSorted(([, a], [, b]) => Number(b.includes(first)) - Number(a.includes(first))))
}

function measureOf(profiles: Profiles, type: string, rows: readonly number[]): FileMeasure {
  const summaries = rows.map(row => profileSummary(profiles, row))
  return {
    type,
    unit: summaries[0].unit,
    profiles: rows.length,
    samples: summaries.reduce((sum, each) => sum + each.samples, 0),
    observations: summaries.reduce((sum, each) => sum + each.observations, 0),
    total: totalOf(profiles, rows),
    time: summaries[0].timeUnixNano,
    duration: summaries.reduce((longest, { durationNano }) => (durationNano > longest ? durationNano : longest), 0n),
    timed: summaries.some(each => each.firstTimestamp !== undefined),
  }
}

/** A file with both temporalities in one series has no total; its views report that as an error. */
function totalOf(profiles: Profiles, rows: readonly number[]): bigint {
  try {
    return countedTotal(profiles, rows)
  } catch (error) {
    if (error instanceof RangeError) return 0n
    throw error
  }
}

function writableFormats({ format }: ReadProfileResult): FileSummary['writable'] {
  return formats
    .filter(each => each.write !== undefined)
    .map(({ name, title, extensions }) => ({ name, title, extension: extensions[0] ?? '' }))
    .sort((a, b) => Number(b.name === format.name) - Number(a.name === format.name))
}

// Maps frames of compiled and bundled code to their sources. Maps come from beside the script, from inside it, or from Node
// (for scripts that a loader compiled). Each frame is mapped once, so after a while nothing is read any more. Small maps are
// kept in memory; large ones are read again for later frames. Files are read synchronously, so that it works while the process
// exits. `apply` lets the application run in between.
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { findSourceMap } from 'node:module'
import { dirname, isAbsolute, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { GENERATED_ATTRIBUTES, ProfilesBuilder, SourceMap, applySourceMaps } from '@hearth/profile/recording'
import type { Profiles } from '@hearth/profile/recording'
import type { Frame, FrameTable } from '../samples/frame-table.ts'
import { pathOf } from '../samples/frame-table.ts'

/** Larger maps take longer than a collection may: 32 MB take 0.5 s. */
const MAX_MAP_BYTES = 32 << 20
/** The comment that names the map is at the end of a script. An inline map is in the comment itself. */
const TAIL_BYTES = 4096
/** The memory of the maps that are kept: maps of about 5 MB, most of which is the content of sources. */
const KEPT_BYTES = 8 << 20
/** How long files are read before the application can run. */
const SLICE_MILLIS = 5
/** Scripts without a map are remembered, so that they are not read again. */
const MAX_UNMAPPED = 20_000

const URL_COMMENT = /\/[/*][#@]\s*sourceMappingURL=([^\s'"*]+)(?:\s*\*\/)?\s*$/
const DATA_URL = /^data:application\/json[^,]*?(;base64)?,/

interface LoadedMap {
  readonly map: SourceMap
  /** The folder that sources are relative to. */
  readonly folder: string
}

export class FrameMapper {
  readonly #onProblem: (problem: string) => void
  readonly #unmapped = new Set<string>()
  /** Ordered by use, the most recent last. */
  readonly #kept = new Map<string, LoadedMap>()
  #keptSize = 0

  constructor(onProblem: (problem: string) => void) {
    this.#onProblem = onProblem
  }

  /** Applies maps to the new rows of the table. */
  async apply(frames: FrameTable): Promise<void> {
    let began = performance.now()
    const steps = this.#steps(frames)
    while (steps.next().done !== true) {
      if (performance.now() - began < SLICE_MILLIS) continue
      await setImmediate()
      began = performance.now()
    }
  }

  /** The synchronous `apply`, for the exit of the process. */
  applyNow(frames: FrameTable): void {
    const steps = this.#steps(frames)
    while (steps.next().done !== true);
  }

  /** One step per script. */
  *#steps(frames: FrameTable): Generator<void, void> {
    const byFile = new Map<string, number[]>()
    for (; frames.mappedTo < frames.rows.length; frames.mappedTo++) {
      const { file, type, line } = frames.rows[frames.mappedTo]
      if (type !== 'v8js' || line === 0 || !isAbsolute(file) || this.#unmapped.has(file)) continue
      const rows = byFile.get(file)
      if (rows === undefined) byFile.set(file, [frames.mappedTo])
      else rows.push(frames.mappedTo)
    }
    // Many scripts at once, because each application costs half a millisecond. The limit keeps their maps from filling the
    // memory.
    const loadedMaps = new Map<string, LoadedMap>()
    let size = 0
    let rows: number[] = []
    for (const [file, rowsOfFile] of byFile) {
      const loaded = this.#load(file)
      yield
      if (loaded === undefined) continue
      loadedMaps.set(file, loaded)
      rows = rows.concat(rowsOfFile)
      size += loaded.map.byteLength
      if (size < KEPT_BYTES) continue
      mapRows(frames.rows, rows, loadedMaps)
      loadedMaps.clear()
      size = 0
      rows = []
      yield
    }
    mapRows(frames.rows, rows, loadedMaps)
  }

  #load(file: string): LoadedMap | undefined {
    const kept = this.#kept.get(file)
    if (kept !== undefined) {
      this.#kept.delete(file)
      this.#kept.set(file, kept)
      return kept
    }
    let loaded: LoadedMap | undefined
    try {
      loaded = loadMap(file)
    } catch (error) {
      this.#onProblem(
        `cannot read the source map of ${file}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
    if (loaded !== undefined) this.#keep(file, loaded)
    else if (this.#unmapped.size < MAX_UNMAPPED) this.#unmapped.add(file)
    return loaded
  }

  #keep(file: string, loaded: LoadedMap): void {
    if (loaded.map.byteLength > KEPT_BYTES) return
    this.#kept.set(file, loaded)
    this.#keptSize += loaded.map.byteLength
    for (const [oldest, { map }] of this.#kept) {
      if (this.#keptSize <= KEPT_BYTES) return
      this.#kept.delete(oldest)
      this.#keptSize -= map.byteLength
    }
  }
}

/** Returns undefined if the script names no map, or the map is missing. Throws if it is invalid. */
function loadMap(file: string): LoadedMap | undefined {
  // Node knows maps only with --enable-source-maps, or of a loader that compiles.
  const known = findSourceMap(file)
  if (known !== undefined) {
    return { map: SourceMap.parse(JSON.stringify(known.payload)), folder: dirname(file) }
  }
  const url = mapUrlOf(file)
  if (url === undefined) return undefined
  const data = DATA_URL.exec(url)
  if (data !== null) {
    const body = url.slice(data[0].length)
    const text = data[1] === undefined ? decodeURIComponent(body) : Buffer.from(body, 'base64').toString()
    return { map: SourceMap.parse(text), folder: dirname(file) }
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(url) && !url.startsWith('file:')) return undefined
  const path = url.startsWith('file:') ? pathOf(url) : resolve(dirname(file), decodeURIComponent(url))
  const text = readIfPresent(path)
  return text === undefined ? undefined : { map: SourceMap.parse(text), folder: dirname(path) }
}

function mapUrlOf(file: string): string | undefined {
  const tail = tailOf(file)
  if (tail === undefined) return undefined
  const short = URL_COMMENT.exec(tail)
  if (short !== null) return short[1]
  // The tail of a large inline map is base64 without a space.
  if (tail.length < TAIL_BYTES || !/^[A-Za-z0-9+/=%_.,:;-]+\s*$/.test(tail)) return undefined
  const text = readIfPresent(file)
  const at = text?.lastIndexOf('sourceMappingURL=data:') ?? -1
  return text === undefined || at < 0 ? undefined : text.slice(at + 'sourceMappingURL='.length).trimEnd()
}

function tailOf(file: string): string | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, 'r')
    const { size } = fstatSync(handle)
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
    const length = readSync(handle, tail, 0, tail.length, size - tail.length)
    return tail.toString('latin1', 0, length)
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return statSync(path).size > MAX_MAP_BYTES ? undefined : readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Uses the library on a profile of one sample, whose stack is the frames. */
function mapRows(frames: Frame[], rows: readonly number[], maps: ReadonlyMap<string, LoadedMap>): void {
  if (rows.length === 0) return
  const builder = new ProfilesBuilder()
  builder.profile({ type: '', unit: '' })
  const locations = rows.map(row => {
    const { name, file, startLine, line, column } = frames[row]
    const lines = [{ function: builder.function({ name, filename: file, startLine }), line, column }]
    return builder.location({ lines })
  })
  builder.sample({ stack: builder.stack(locations), values: [1] })
  const { profiles, count } = applySourceMaps(builder.build(), file => maps.get(file)?.map)
  if (count === 0) return
  for (const [i, row] of rows.entries()) {
    const { folder = '' } = maps.get(frames[row].file) ?? {}
    frames[row] = mappedFrame(frames[row], profiles, locations[i], folder)
  }
}

function mappedFrame(frame: Frame, { dictionary }: Profiles, location: number, folder: string): Frame {
  const { locations, functions, strings, attributes } = dictionary
  const at = location as Parameters<typeof locations.linesFrom>[0]
  let generatedPosition: string | undefined
  let generatedStartLine: number | undefined
  for (const row of locations.attributesOf(at)) {
    const key = strings.text(attributes.key(row))
    const value = attributes.value(row)
    if (key === GENERATED_ATTRIBUTES.position && typeof value === 'string') generatedPosition = value
    else if (key === GENERATED_ATTRIBUTES.startLine) generatedStartLine = Number(value)
  }
  if (generatedPosition === undefined) return frame
  const line = locations.linesFrom(at)
  const row = locations.lines.function(line)
  return {
    name: strings.text(functions.name(row)),
    systemName: strings.text(functions.systemName(row)),
    file: sourcePath(strings.text(functions.filename(row)), folder),
    startLine: Number(functions.startLine(row)),
    line: Number(locations.lines.line(line)),
    column: Number(locations.lines.column(line)),
    type: frame.type,
    generatedPosition,
    ...(generatedStartLine === undefined ? {} : { generatedStartLine }),
  }
}

/** Keeps sources that bundlers name by URL (`webpack://…`). */
function sourcePath(source: string, folder: string): string {
  if (source.startsWith('file:')) return pathOf(source)
  return /^[a-z][a-z0-9+.-]+:/i.test(source) ? source : resolve(folder, source)
}

// The tables of one thread of a written Firefox profile. Stacks become a tree, root first, whose nodes all samples
// share. A location becomes one frame per inlined call.
import type { FunctionIndex, LocationIndex, MappingIndex, StackIndex } from '../../model/columns/brand.ts'
import { fileAddress, frameName } from '../../model/text/frame-name.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { canonicalUnit, parseUnit } from '../../model/text/units.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import type { NoteList } from '../format.ts'
import { decimalText, unscaledUnit } from '../recordings/scaled-number.ts'
import { EXTRA_KEY, WEIGHTS } from './names.ts'
import type { SharedTables } from './shared-tables.ts'
import type { WrittenThread } from './thread-list.ts'

const NONE = -1
const LIBRARY = 1
const MILLISECONDS = 6
const DEFAULT_INTERVAL = 1_000_000n

/** A table that stores equal rows once. Cells are JSON; undefined becomes null. */
class Rows {
  readonly #names: readonly string[]
  readonly #rows = new Map<string, readonly string[]>()
  readonly #places = new Map<string, number>()

  constructor(names: readonly string[]) {
    this.#names = names
  }

  add(...cells: (string | number | bigint | boolean | undefined)[]): number {
    const texts = cells.map(cell => (cell === undefined ? 'null' : String(cell)))
    const key = texts.join()
    let place = this.#places.get(key)
    if (place === undefined) {
      place = this.#rows.size
      this.#rows.set(key, texts)
      this.#places.set(key, place)
    }
    return place
  }

  writeTo(writer: JsonWriter): void {
    writer.beginObject()
    writer.key('length')
    writer.number(this.#rows.size)
    for (const [i, name] of this.#names.entries()) {
      writer.key(name)
      writer.beginArray()
      for (const row of this.#rows.values()) writer.raw(row[i])
      writer.endArray()
    }
    writer.endObject()
  }
}

export class ThreadTablesWriter {
  readonly #profiles: Profiles
  readonly #shared: SharedTables
  readonly #notes: NoteList
  readonly #frames = new Rows([
    'address',
    'inlineDepth',
    'category',
    'subcategory',
    'func',
    'nativeSymbol',
    'innerWindowID',
    'line',
    'column',
  ])
  readonly #functions = new Rows([
    'name',
    'isJS',
    'relevantForJS',
    'resource',
    'fileName',
    'lineNumber',
    'columnNumber',
  ])
  readonly #resources = new Rows(['lib', 'name', 'host', 'type'])
  readonly #stacks = new Rows(['frame', 'prefix'])
  readonly #stackRows = new Map<StackIndex, number>()
  readonly #locations = new Map<LocationIndex, readonly number[]>()

  constructor(profiles: Profiles, shared: SharedTables, notes: NoteList) {
    this.#profiles = profiles
    this.#shared = shared
    this.#notes = notes
  }

  write(writer: JsonWriter, thread: WrittenThread, start: bigint, interval: bigint): void {
    const { samples } = this.#profiles
    const stacks = Array.from(thread.samples, i => this.#stack(samples.stack(i)))
    writer.beginObject()
    for (const [key, value] of Object.entries({
      processType: 'default',
      processStartupTime: 0,
      registerTime: 0,
      isMainThread: thread.pid === String(thread.tid),
      pausedRanges: [],
      name: thread.name,
      pid: thread.pid,
      tid: thread.tid,
    })) {
      writer.key(key)
      writer.value(value)
    }
    for (const key of ['processShutdownTime', 'unregisterTime']) {
      writer.key(key)
      writer.nullValue()
    }
    if (thread.processName !== '') {
      writer.key('processName')
      writer.string(thread.processName)
    }
    this.#writeSamples(writer, thread, stacks, start, interval > 0n ? interval : DEFAULT_INTERVAL)
    writer.key('markers')
    writer.value({ length: 0, category: [], data: [], endTime: [], name: [], phase: [], startTime: [] })
    for (const [key, rows] of [
      ['stackTable', this.#stacks],
      ['frameTable', this.#frames],
      ['funcTable', this.#functions],
      ['resourceTable', this.#resources],
    ] as const) {
      writer.key(key)
      rows.writeTo(writer)
    }
    writer.key('nativeSymbols')
    writer.value({ length: 0, address: [], functionSize: [], libIndex: [], name: [] })
    writer.endObject()
  }

  #writeSamples(
    writer: JsonWriter,
    thread: WrittenThread,
    stacks: readonly number[],
    start: bigint,
    step: bigint,
  ): void {
    const { profiles, dictionary } = this.#profiles
    const type = dictionary.strings.text(profiles.type(thread.profile))
    const unit = dictionary.strings.text(profiles.unit(thread.profile))
    const weight = weightOf(unit)
    const meaning = WEIGHTS.get(weight.type)!
    if (weight.factor !== 1n)
      this.#notes.add('unit-converted', 'values in other units of time are written in milliseconds')
    const keepsUnit = unit !== meaning.unit && (weight.type !== 'tracing-ms' || canonicalUnit(unit) === 'ns')
    if (type !== meaning.type || keepsUnit || !thread.isTimed) {
      writer.key(EXTRA_KEY)
      writer.beginObject()
      if (type !== meaning.type) {
        writer.key('type')
        writer.string(type)
      }
      if (keepsUnit) {
        writer.key('unit')
        writer.string(unit)
      }
      if (!thread.isTimed) {
        writer.key('aggregated')
        writer.boolean(true)
      }
      writer.endObject()
    }
    writer.key('samples')
    writer.beginObject()
    writer.key('length')
    writer.number(stacks.length)
    writer.key('weightType')
    writer.string(weight.type)
    const column = (name: string, cell: (i: number) => string): void => {
      writer.key(name)
      writer.beginArray()
      for (let i = 0; i < stacks.length; i++) writer.raw(cell(i))
      writer.endArray()
    }
    column('stack', i => (stacks[i] === NONE ? 'null' : `${stacks[i]}`))
    column('time', i => decimalText(thread.isTimed ? thread.times[i] - start : BigInt(i) * step, MILLISECONDS))
    if (thread.values.every(value => value === 1n) && weight.type === 'samples' && weight.places === 0) {
      writer.key('weight')
      writer.nullValue()
    } else column('weight', i => decimalText(thread.values[i] * weight.factor, weight.places))
    writer.endObject()
  }

  /** NONE for a stack without locations. */
  #stack(stack: StackIndex): number {
    let row = this.#stackRows.get(stack)
    if (row === undefined) {
      const { stacks } = this.#profiles.dictionary
      row = NONE
      for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
        for (const frame of this.#location(stacks.locations.at(k)))
          row = this.#stacks.add(frame, row === NONE ? undefined : row)
      }
      this.#stackRows.set(stack, row)
    }
    return row
  }

  /** The frames of a location, outermost first. */
  #location(location: LocationIndex): readonly number[] {
    let frames = this.#locations.get(location)
    if (frames === undefined) {
      frames = this.#readLocation(location)
      this.#locations.set(location, frames)
    }
    return frames
  }

  #readLocation(location: LocationIndex): number[] {
    const { dictionary } = this.#profiles
    const { locations, functions, strings } = dictionary
    const mapping = locations.mapping(location)
    const resource = mapping === 0 ? NONE : this.#resource(mapping)
    const address = locations.address(location) === 0n ? -1n : fileAddress(dictionary, location)
    const to = locations.linesTo(location)
    const frames: number[] = []
    const add = (name: string, func: FunctionIndex, line: bigint, column: bigint): void => {
      const file = strings.text(functions.filename(func))
      const startLine = functions.startLine(func)
      const row = this.#functions.add(
        this.#shared.string(name),
        false,
        false,
        resource,
        file === '' ? undefined : this.#shared.string(file),
        startLine === 0n ? undefined : startLine,
        undefined,
      )
      const depth = address === -1n ? 0 : frames.length
      const cells = [row, undefined, 0, line === 0n ? undefined : line, column === 0n ? undefined : column] as const
      frames.push(this.#frames.add(address, depth, 0, 0, ...cells))
    }
    for (let k = to - 1; k >= locations.linesFrom(location); k--) {
      const { lines } = locations
      add(frameName(dictionary, location, k), lines.function(k), lines.line(k), lines.column(k))
    }
    if (frames.length === 0) {
      // A frame without symbols has its address as name, by which readers recognise it.
      const name = address === -1n ? frameName(dictionary, location, NONE) : `0x${address.toString(16)}`
      add(name, 0 as FunctionIndex, 0n, 0n)
    }
    return frames
  }

  #resource(mapping: MappingIndex): number {
    const lib = this.#shared.lib(mapping)
    return this.#resources.add(lib, this.#shared.string(this.#shared.libName(lib)), undefined, LIBRARY)
  }
}

interface Weight {
  readonly type: 'samples' | 'tracing-ms' | 'bytes'
  /** Values are multiplied by this and then divided by 10^places. */
  readonly factor: bigint
  readonly places: number
}

function weightOf(text: string): Weight {
  const { kind, numerator, denominator } = parseUnit(text)
  if (kind === 'time' && denominator === 1n) return { type: 'tracing-ms', factor: numerator, places: MILLISECONDS }
  const { unit, places } = unscaledUnit(text)
  return { type: canonicalUnit(unit) === 'By' ? 'bytes' : 'samples', factor: 1n, places }
}

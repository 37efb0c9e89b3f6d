// The lines of a stack's frames. The text of each location and each stack is created once and then copied.
import type { LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { fileAddress, functionName, mappingFile } from '../../model/text/frame-name.ts'
import { GrowingBytes } from '../../model/columns/growing-columns.ts'
import { highHalf } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { PERF_ATTRIBUTES } from '../recordings/perf-recording.ts'
import { buildIdInPath, frameTypeOf } from './frame-type.ts'
import type { PlainText } from './plain-text.ts'
import { UNKNOWN } from './plain-text.ts'

/** The number of locations with information that the lines of frames cannot hold. */
class FrameLosses {
  attributes = 0
  frameTypes = 0
  ranges = 0
  mappingAttributes = 0
  functionFields = 0
  columns = 0
}

export class PerfStackTexts {
  readonly losses = new FrameLosses()
  readonly #dictionary: Dictionary
  readonly #plain: PlainText
  readonly #pool = new GrowingBytes(1 << 16)
  /** The range of each location's and stack's text in the pool; NONE until it is created. */
  readonly #locations: Int32Array
  readonly #stacks: Int32Array

  constructor(dictionary: Dictionary, plain: PlainText) {
    this.#dictionary = dictionary
    this.#plain = plain
    this.#locations = new Int32Array(2 * dictionary.locations.length).fill(NONE)
    this.#stacks = new Int32Array(2 * dictionary.stacks.length).fill(NONE)
  }

  get bytes(): Uint8Array {
    return this.#pool.array
  }

  start(stack: StackIndex): number {
    if (this.#stacks[2 * stack] === NONE) this.#addStack(stack)
    return this.#stacks[2 * stack]
  }

  end(stack: StackIndex): number {
    return this.#stacks[2 * stack + 1]
  }

  #addStack(stack: StackIndex): void {
    const { stacks } = this.#dictionary
    const from = stacks.from(stack)
    const to = stacks.to(stack)
    // Create all locations first, because the text of a stack must be contiguous.
    for (let k = from; k < to; k++) {
      const location = stacks.locations.at(k)
      if (this.#locations[2 * location] === NONE) this.#addLocation(location)
    }
    const start = this.#pool.length
    for (let k = from; k < to; k++) {
      const location = stacks.locations.at(k)
      // The pool cannot copy from itself.
      const text = this.#pool.array.slice(this.#locations[2 * location], this.#locations[2 * location + 1])
      this.#pool.append(text, 0, text.length)
    }
    this.#stacks[2 * stack] = start
    this.#stacks[2 * stack + 1] = this.#pool.length
  }

  #addLocation(location: LocationIndex): void {
    const bytes = encodeUtf8(this.#text(location))
    this.#locations[2 * location] = this.#pool.append(bytes, 0, bytes.length)
    this.#locations[2 * location + 1] = this.#pool.length
  }

  #text(location: LocationIndex): string {
    if (this.#isUnknown(location)) return `\t${'0'.padStart(16)} ${UNKNOWN} (${UNKNOWN})\n`
    const dictionary = this.#dictionary
    const { locations, strings } = dictionary
    const attributes = this.#attributes(location)
    const offset = attributes.get(PERF_ATTRIBUTES.symbolOffset)
    const isLone = attributes.get(PERF_ATTRIBUTES.inlined) === true
    const file = this.#plain.file(strings.text(mappingFile(dictionary, location)))
    const address = fileAddress(dictionary, location)
    const hex = address.toString(16).padStart(16)
    const from = locations.linesFrom(location)
    const to = locations.linesTo(location)
    let text = ''
    for (let k = from; k < to || (from === to && k === from); k++) {
      const line = from === to ? NONE : k
      const isOuter = k >= to - 1
      const given = strings.text(functionName(dictionary, line))
      const name = (isOuter ? this.#plain.name(given) : this.#plain.inlinedName(given)) || UNKNOWN
      const behind = isOuter && typeof offset === 'bigint' ? `+0x${offset.toString(16)}` : ''
      if (isOuter && behind === '') this.#plain.noteOffset(name)
      const isInlined = !isOuter || isLone
      const source = line === NONE ? '' : this.#source(line, name === UNKNOWN)
      const place = isInlined ? (source === '' ? ' (inlined)' : '') : ` (${file === '' ? UNKNOWN : file})`
      text += `\t${hex} ${name}${behind}${place}\n`
      if (source !== '') text += `  ${source}${isInlined ? ' (inlined)' : ''}\n`
    }
    this.#count(location, attributes, isLone ? '' : file, address)
    return text
  }

  /** Whether the location has nothing but the name [unknown], which the reader gives to frames without any information. */
  #isUnknown(location: LocationIndex): boolean {
    const { locations, functions, strings } = this.#dictionary
    const from = locations.linesFrom(location)
    if (locations.linesTo(location) !== from + 1 || locations.attributesOf(location).length > 0) return false
    const row = locations.lines.function(from)
    return (
      strings.text(functions.name(row)) === UNKNOWN &&
      [functions.systemName(row), functions.filename(row), locations.mapping(location)].every(index => index === 0) &&
      [
        functions.startLine(row),
        locations.lines.line(from),
        locations.lines.column(from),
        locations.address(location),
      ].every(number => number === 0n)
    )
  }

  /** The source position; empty if it is unknown. A line without function and file has no information. */
  #source(line: number, isUnknown: boolean): string {
    const { functions, locations, strings } = this.#dictionary
    const row = locations.lines.function(line)
    const file = this.#plain.source(strings.text(functions.filename(row)))
    const number = locations.lines.line(line)
    if (functions.startLine(row) !== 0n) this.losses.functionFields++
    if (strings.byteLength(functions.systemName(row)) > 0 && strings.byteLength(functions.name(row)) > 0) {
      if (functions.systemName(row) !== functions.name(row)) this.losses.functionFields++
    }
    const isNowhere = file === '' && (isUnknown || number <= 0n)
    if (number < 0n || (isNowhere && (isUnknown || number > 0n))) this.losses.functionFields++
    if (locations.lines.column(line) !== 0n) this.losses.columns++
    return isNowhere ? '' : `${file}:${number < 0n ? 0n : number}`
  }

  #attributes(location: LocationIndex): Map<string, unknown> {
    const { attributes, locations, strings } = this.#dictionary
    return new Map(
      locations.attributesOf(location).map(row => [strings.text(attributes.key(row)), attributes.value(row)]),
    )
  }

  #count(location: LocationIndex, attributes: ReadonlyMap<string, unknown>, file: string, address: bigint): void {
    const { locations, mappings, strings, attributes: table } = this.#dictionary
    const { losses } = this
    const type = attributes.get(ATTRIBUTES.frameType)
    if (type !== frameTypeOf(file, highHalf(address))) losses.frameTypes++
    for (const key of attributes.keys()) {
      const isCarried = [
        ATTRIBUTES.frameType,
        PERF_ATTRIBUTES.symbolOffset,
        PERF_ATTRIBUTES.inlined,
      ] as readonly string[]
      if (!isCarried.includes(key)) losses.attributes++
    }
    const mapping = locations.mapping(location)
    if (mapping === 0) return
    if (mappings.memoryStart(mapping) !== 0n || mappings.memoryLimit(mapping) !== 0n) losses.ranges++
    else if (mappings.fileOffset(mapping) !== 0n) losses.ranges++
    const inPath = buildIdInPath(file)
    const others = mappings
      .attributesOf(mapping)
      .filter(row => strings.text(table.key(row)) !== ATTRIBUTES.buildIdGnu || table.value(row) !== inPath)
    losses.mappingAttributes += others.length
  }
}

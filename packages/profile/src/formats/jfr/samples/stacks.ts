// Converts stack traces of a chunk to stacks of the dictionary. A trace is read when the first event refers to it. Known frames
// cost one lookup, and recordings have only some thousand distinct ones.
import type {
  AttributeIndex,
  FunctionIndex,
  LocationIndex,
  MappingIndex,
  StringIndex,
} from '../../../model/columns/brand.ts'
import { NONE } from '../../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import { FUNCTION_STRIDE } from '../../../model/columns/dictionary.ts'
import { UNKNOWN_NAME } from '../../../model/text/frame-name.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import { JFR_ATTRIBUTES, integerAttribute, textAttribute } from './attributes.ts'
import { mayBeGenerated, stableClassName } from './class-name.ts'
import type { Constants, ConstantPool } from '../encoding/constants.ts'
import { Cursor } from '../encoding/cursor.ts'
import { Extractor } from '../encoding/extract.ts'
import { JfrFrameTable } from './frame-table.ts'
import { ShortFrames } from './short-frames.ts'
import type { Texts } from '../encoding/texts.ts'

/** Frame types by the recorder's name for the kind of frame. */
const RUNTIMES: ReadonlyMap<string, string> = new Map([
  ['Interpreted', 'jvm'],
  ['JIT compiled', 'jvm'],
  ['C1 compiled', 'jvm'],
  ['Inlined', 'jvm'],
  ['Native', 'native'],
  ['C++', 'native'],
  ['Kernel', 'kernel'],
])

/** The method descriptor that async-profiler writes if there is no method. */
const NO_DESCRIPTOR = '()L;'
/** Methods can have 65535 bytes of code; few have more than this. */
const MAX_BYTECODES = 1024
/** The ints that the dictionary stores for a location with one line and three attributes. */
const LOCATION_INTS = 12
/** The maximum number of rows to reserve in advance. */
const MAX_EXPECTED = 1 << 14
const DOT = encodeUtf8('.')
const Frame = { method: 0, line: 1, bytecode: 2, type: 3 } as const
const Method = { class: 0, name: 1, descriptor: 2 } as const

interface FrameKind {
  readonly attributes: readonly AttributeIndex[]
  /** True if bytecode indexes are meaningful. */
  readonly isJava: boolean
}

const NO_KIND: FrameKind = { attributes: [], isJava: true }

export class Stacks {
  /** The number of frames whose method is not among the constants. */
  missingMethods = 0
  /** True if the last returned stack lacks frames near its root. */
  truncated = false
  readonly #cursor: Cursor
  readonly #constants: Constants
  readonly #texts: Texts
  readonly #builder: ProfilesBuilder
  readonly #trace: Extractor
  readonly #frame: Extractor | undefined
  readonly #method: Extractor | undefined
  /** Stack + 1 of each constant, negative if truncated; 0 if it was not read yet. */
  #stacks = new Int32Array(0)
  #functions = new Int32Array(0)
  /** By row of their constants. Real recordings have nine. */
  readonly #kinds: (FrameKind | undefined)[] = []
  readonly #frames = new JfrFrameTable()
  readonly #shortFrames: ShortFrames | undefined
  readonly #lines = new Int32Array(5)
  readonly #attributes = new Int32Array(4)
  /** The attribute of each bytecode index; 0 if it did not occur yet. */
  readonly #bytecodes = new Int32Array(MAX_BYTECODES)

  constructor(
    bytes: Uint8Array,
    base: number,
    type: number,
    constants: Constants,
    texts: Texts,
    builder: ProfilesBuilder,
  ) {
    this.#cursor = new Cursor(bytes, base)
    this.#constants = constants
    this.#texts = texts
    this.#builder = builder
    const { layouts } = constants
    this.#trace = new Extractor(layouts, this.#cursor, type, ['frames', 'truncated'], 'before last')
    const isList = this.#trace.forms[0] === 'list' || this.#trace.forms[0] === 'constantList'
    const frameType = isList ? this.#trace.types[0] : NONE
    if (frameType === NONE || layouts.metadata.classes[frameType].kind !== 'fields') return
    const fields = ['method', 'lineNumber', 'bytecodeIndex', 'type']
    this.#frame = new Extractor(layouts, this.#cursor, frameType, fields, 'whole')
    if (this.#trace.forms[0] === 'list') this.#shortFrames = ShortFrames.of(bytes, this.#frame.integersOnly)
    const methodType = this.#frame.types[Frame.method]
    if (methodType === NONE || this.#frame.forms[Frame.method] !== 'constant') return
    this.#method = new Extractor(layouts, this.#cursor, methodType, ['type', 'name', 'descriptor'], 'last')
    const methods = constants.pool(methodType).length
    const traces = constants.pool(type).length
    this.#functions = new Int32Array(methods)
    this.#stacks = new Int32Array(traces)
    // Recorders write hardly any methods and traces that events do not use.
    const { strings, functions, locations, stacks } = builder.dictionary
    const expected = Math.min(methods, MAX_EXPECTED)
    strings.expect(strings.length + 2 * expected)
    functions.expect(functions.length + expected, FUNCTION_STRIDE * expected)
    locations.expect(locations.length + expected, LOCATION_INTS * expected)
    stacks.expect(stacks.length + Math.min(traces, MAX_EXPECTED), 0)
  }

  /** Returns the stack of a constant. */
  ofRow(type: number, row: number): number {
    let known = this.#stacks[row] ?? 0
    if (known === 0) {
      const stack = this.at(this.#constants.pool(type).position(row)) + 1
      known = this.truncated ? -stack : stack
      if (row < this.#stacks.length) this.#stacks[row] = known
    }
    this.truncated = known < 0
    return (known < 0 ? -known : known) - 1
  }

  /** Returns the stack at a position of the chunk. */
  at(position: number): number {
    const cursor = this.#cursor
    const trace = this.#trace
    cursor.pos = position
    trace.run(cursor)
    this.truncated = trace.forms[1] === 'integer' && trace.values[2] !== 0
    const frame = this.#frame
    if (frame === undefined) return 0
    cursor.pos = trace.values[0]
    const count = cursor.count(1)
    const { stacks } = this.#builder.dictionary
    const stack = stacks.pool.reserve(count)
    const end = stacks.pool.length + count
    const shortFrames = this.#shortFrames
    const pool = trace.forms[0] === 'constantList' ? this.#constants.pool(trace.types[0]) : undefined
    for (let i = stacks.pool.length; i < end; i++) {
      if (shortFrames !== undefined) {
        i = shortFrames.take(cursor, stack, i, end)
        if (i === end) break
      }
      const { pos } = cursor
      if (pool === undefined) frame.run(cursor)
      else this.#readConstant(frame, pool)
      if (shortFrames?.stoppedAtNew === true) {
        stack[i] = this.#newLocation()
        shortFrames.add(pos, stack[i])
      } else stack[i] = this.#location()
    }
    return stacks.internTail(count)
  }

  /** Reads a frame that the trace refers to by its key. */
  #readConstant(frame: Extractor, pool: ConstantPool): void {
    const cursor = this.#cursor
    cursor.long()
    const next = cursor.pos
    const row = pool.keys.find(cursor.lo, cursor.hi)
    if (row === NONE) frame.values.fill(0)
    else {
      cursor.pos = pool.position(row)
      frame.run(cursor)
    }
    cursor.pos = next
  }

  /** Returns the location of the frame that was read last. */
  #location(): number {
    const frames = this.#frames
    const { values } = this.#frame!
    const slot = frames.find(values)
    const known = frames.location(slot)
    if (known >= 0) return known
    const location = this.#newLocation()
    frames.set(slot, values, location)
    return location
  }

  #newLocation(): LocationIndex {
    const frame = this.#frame!
    const method = this.#row(frame, Frame.method)
    const type = this.#row(frame, Frame.type)
    const line = frame.forms[Frame.line] === 'integer' ? frame.values[2 * Frame.line] : 0
    const bytecode = frame.forms[Frame.bytecode] === 'integer' ? frame.values[2 * Frame.bytecode] : NONE
    if (method === NONE) this.missingMethods++
    const builder = this.#builder
    const kind = type === NONE ? NO_KIND : this.#kind(frame.types[Frame.type], type)
    let count = 0
    const { attributes } = kind
    for (; count < attributes.length; count++) this.#attributes[count] = attributes[count]
    if (kind.isJava && bytecode >= 0) this.#attributes[count++] = this.#bytecodeIndex(bytecode)
    this.#lines[0] = this.#function(frame.types[Frame.method], method)
    // -1 means unknown, which is 0 in profiles.
    this.#lines[1] = line > 0 ? line : 0
    return builder.dictionary.location(0 as MappingIndex, 0, 0, this.#lines, 1, this.#attributes, count)
  }

  #bytecodeIndex(index: number): AttributeIndex {
    const known = this.#bytecodes[index]
    if (known > 0) return known as AttributeIndex
    const attribute = integerAttribute(this.#builder, JFR_ATTRIBUTES.bytecodeIndex, index, 0)
    if (index < MAX_BYTECODES) this.#bytecodes[index] = attribute
    return attribute
  }

  /** The constant that a field of the frame refers to, or NONE. */
  #row({ forms, types, values }: Extractor, slot: number): number {
    if (forms[slot] !== 'constant' || types[slot] === NONE) return NONE
    return this.#constants.pool(types[slot]).keys.find(values[2 * slot], values[2 * slot + 1])
  }

  #kind(type: number, row: number): FrameKind {
    const known = this.#kinds[row]
    if (known !== undefined) return known
    const texts = this.#texts
    if (!texts.readConstant(type, row)) return NO_KIND
    const attributes = [textAttribute(this.#builder, JFR_ATTRIBUTES.frameType, texts)]
    const runtime = RUNTIMES.get(texts.string())
    if (runtime !== undefined) attributes.push(this.#builder.attribute(ATTRIBUTES.frameType, runtime))
    const kind = { attributes, isJava: runtime === undefined || runtime === 'jvm' }
    this.#kinds[row] = kind
    return kind
  }

  #function(type: number, row: number): FunctionIndex {
    if (row === NONE) return this.#builder.function({ name: UNKNOWN_NAME })
    if (this.#functions[row] === 0) this.#functions[row] = this.#newFunction(type, row)
    return this.#functions[row] as FunctionIndex
  }

  /** The name is `class.method` as in other tools. The system name also has the full class and the descriptor. */
  #newFunction(type: number, row: number): FunctionIndex {
    const method = this.#method!
    const cursor = this.#cursor
    const { pos } = cursor
    cursor.pos = this.#constants.pool(type).position(row)
    method.run(cursor)
    cursor.pos = pos
    const texts = this.#texts
    const { dictionary } = this.#builder
    // Builds both names at the end of the string bytes. The shorter name is then part of the longer one.
    const { bytes, strings } = dictionary
    const from = bytes.length
    texts.read(method, Method.class)
    const isMadeUp = mayBeGenerated(texts.source, texts.from, texts.to)
    const stable = isMadeUp ? stableClassName(texts.string()) : undefined
    texts.appendTo(bytes)
    bytes.append(DOT, 0, 1)
    texts.read(method, Method.name)
    texts.appendTo(bytes)
    const { length } = bytes
    texts.read(method, Method.descriptor)
    if (texts.length !== NO_DESCRIPTOR.length || texts.string() !== NO_DESCRIPTOR) texts.appendTo(bytes)
    const says = stable !== undefined || bytes.length > length
    const full = strings.internTail(from)
    let name = full
    if (stable !== undefined) {
      const start = encodeUtf8(`${stable}.`)
      const at = bytes.append(start, 0, start.length)
      texts.read(method, Method.name)
      texts.appendTo(bytes)
      name = strings.internTail(at)
    } else if (says) {
      const at = strings.rows.array[2 * full]
      name = strings.intern(bytes.array, at, at + length - from)
    }
    const systemName = says ? full : 0
    return dictionary.function(name as StringIndex, systemName as StringIndex, 0 as StringIndex, 0, 0)
  }
}

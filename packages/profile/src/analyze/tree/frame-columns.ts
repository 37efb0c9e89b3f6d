// The wire shape of frames in binary columns. Texts are numbers in a shared column of strings, where 0 is the empty text.
import type { FrameTable } from './frame-table.ts'

export interface FrameColumns {
  readonly name: Uint32Array
  readonly file: Uint32Array
  readonly mapping: Uint32Array
  readonly type: Uint32Array
  /** Undefined if no build id is known. */
  readonly buildId?: Uint32Array | undefined
  /** Undefined if all frames are functions. */
  readonly attribute?: Uint32Array | undefined
  /** The bits HAS_LINE and HAS_ADDRESS of each frame. This column and the next two are undefined if no frame has either. */
  readonly has?: Uint8Array | undefined
  readonly line?: BigInt64Array | undefined
  /** The bits of an unsigned number. */
  readonly address?: BigInt64Array | undefined
}

const HAS_LINE = 1
const HAS_ADDRESS = 2

/** `numberOf` returns the number of a text. */
export function frameColumns(frames: FrameTable, numberOf: (text: string) => number): FrameColumns {
  const { name, file, mapping, type, buildId, attribute, line, address } = frames
  const numbers = (texts: readonly string[]): Uint32Array => Uint32Array.from(texts, numberOf)
  const texts = {
    name: numbers(name),
    file: numbers(file),
    mapping: numbers(mapping),
    type: numbers(type),
    ...(buildId === undefined ? {} : { buildId: numbers(buildId) }),
    ...(attribute === undefined ? {} : { attribute: numbers(attribute) }),
  }
  const has = Uint8Array.from(line, (text, i) => (text === '' ? 0 : HAS_LINE) | (address[i] === '' ? 0 : HAS_ADDRESS))
  if (has.every(bits => bits === 0)) return texts
  // BigInt('') is 0n, and a BigInt64Array keeps the lower 64 bits of any value.
  return { ...texts, has, line: BigInt64Array.from(line, BigInt), address: BigInt64Array.from(address, BigInt) }
}

/** `textOf` returns the text of a number. */
export function framesOfColumns(columns: FrameColumns, textOf: (number: number) => string): FrameTable {
  const { name, file, mapping, type, buildId, attribute, has, line, address } = columns
  const texts = (numbers: Uint32Array): string[] => Array.from(numbers, textOf)
  const digits = (bit: number, values: BigInt64Array | undefined, shown: (value: bigint) => bigint): string[] =>
    Array.from(name, (_, i) =>
      ((has?.[i] ?? 0) & bit) === 0 || values === undefined ? '' : shown(values[i]).toString(),
    )
  return {
    length: name.length,
    name: texts(name),
    file: texts(file),
    mapping: texts(mapping),
    type: texts(type),
    line: digits(HAS_LINE, line, value => value),
    address: digits(HAS_ADDRESS, address, value => BigInt.asUintN(64, value)),
    ...(buildId === undefined ? {} : { buildId: texts(buildId) }),
    ...(attribute === undefined ? {} : { attribute: texts(attribute) }),
  }
}

// Converts numbers and words of the text format to the type of a field, or returns the error.
import type { TextType } from './schema.ts'
import { BUILD_ID_KINDS } from './schema.ts'

const RANGES: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  uint32: [0n, 2n ** 32n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
}
const TRUE: readonly string[] = ['true', 'True', 't', '1']
const FALSE: readonly string[] = ['false', 'False', 'f', '0']

/** Returns undefined if the word is not an integer. Underscores separate digits, as in the document's examples. */
function wholeOf(word: string, isNegative: boolean): bigint | undefined {
  const digits = word.replace(/(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g, '')
  if (/^(0|[1-9][0-9]*)$/.test(digits) || /^0[xX][0-9a-fA-F]+$/.test(digits)) {
    return isNegative ? -BigInt(digits) : BigInt(digits)
  }
  // A leading zero is octal.
  if (!/^0[0-7]+$/.test(digits)) return undefined
  const value = BigInt(`0o${digits.slice(1)}`)
  return isNegative ? -value : value
}

/** Returns a string that describes the error if the word is invalid. */
export function scalarOf(type: TextType, word: string, isNegative: boolean): bigint | number | string {
  if (type === 'bool') {
    if (!isNegative && TRUE.includes(word)) return 1n
    return !isNegative && FALSE.includes(word) ? 0n : `${word} is neither true nor false`
  }
  if (type === 'double') return doubleOf(word, isNegative) ?? `${word} is no number`
  if (type === 'BuildIdKind' && BUILD_ID_KINDS.includes(word)) return BigInt(BUILD_ID_KINDS.indexOf(word))
  const value = wholeOf(word, isNegative)
  const [min, max] = RANGES[type === 'BuildIdKind' ? 'int32' : type] ?? []
  if (value === undefined || min === undefined) return `${word} is not an integer`
  return value < min || value > max ? `${value} does not fit in ${type}` : value
}

function doubleOf(word: string, isNegative: boolean): number | undefined {
  const sign = isNegative ? -1 : 1
  if (/^inf(inity)?$/i.test(word)) return sign * Infinity
  if (/^nan$/i.test(word)) return NaN
  const digits = word.replace(/(?<=[0-9])_(?=[0-9])/g, '').replace(/[fF]$/, '')
  return /^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(digits) ? sign * Number(digits) : undefined
}

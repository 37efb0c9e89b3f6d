// Numbers and words of the text format as what a field's type says, or the reason why not.
import type { TextType } from './schema.ts'
import { BUILD_ID_KINDS } from './schema.ts'

const RANGES: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  uint32: [0n, 2n ** 32n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
}
const TRUE: readonly string[] = ['true', 'True', 't', '1']
const FALSE: readonly string[] = ['false', 'False', 'f', '0']

/** Undefined where the word is none. Underscores separate digits, as in the document's examples. */
export function wholeOf(word: string, isNegative: boolean): bigint | undefined {
  const digits = word.replace(/(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g, '')
  if (/^(0|[1-9][0-9]*)$/.test(digits) || /^0[xX][0-9a-fA-F]+$/.test(digits)) {
    return isNegative ? -BigInt(digits) : BigInt(digits)
  }
  // A leading zero is octal.
  if (!/^0[0-7]+$/.test(digits)) return undefined
  const value = BigInt(`0o${digits.slice(1)}`)
  return isNegative ? -value : value
}

/** A string says what is wrong. */
export function scalarOf(type: TextType, word: string, isNegative: boolean): bigint | number | string {
  if (type === 'bool') {
    if (!isNegative && TRUE.includes(word)) return 1n
    return !isNegative && FALSE.includes(word) ? 0n : `${word} is neither true nor false`
  }
  if (type === 'double') return doubleOf(word, isNegative) ?? `${word} is no number`
  if (type === 'BuildIdKind' && BUILD_ID_KINDS.includes(word)) return BigInt(BUILD_ID_KINDS.indexOf(word))
  const value = wholeOf(word, isNegative)
  const [least, most] = RANGES[type === 'BuildIdKind' ? 'int32' : type] ?? []
  if (value === undefined || least === undefined) return `${word} is no whole number`
  return value < least || value > most ? `${value} does not fit in ${type}` : value
}

function doubleOf(word: string, isNegative: boolean): number | undefined {
  const sign = isNegative ? -1 : 1
  if (/^inf(inity)?$/i.test(word)) return sign * Infinity
  if (/^nan$/i.test(word)) return NaN
  const digits = word.replace(/(?<=[0-9])_(?=[0-9])/g, '').replace(/[fF]$/, '')
  return /^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(digits) ? sign * Number(digits) : undefined
}

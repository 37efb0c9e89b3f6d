// Units of profile values. Reads the UCUM spellings of OpenTelemetry (`ns`, `By`, `{samples}`) and the looser ones of
// pprof and others (`nanoseconds`, `MB`, `samples`), and converts exactly between units of the same kind. UCUM is
// case-sensitive, so its spellings are tried first. Everything else is read as pprof reads it.
import { plainUnit } from './normalised-unit.ts'

export type UnitKind = 'time' | 'bytes' | 'frequency' | 'ratio' | 'count' | 'unknown'

/** `numerator / denominator` with no common factor; both above zero. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

/**
 * One of this unit is `numerator / denominator` of the base of its kind: ns, By, Hz, {ratio}, 1, or itself if unknown.
 */
export interface Unit extends Ratio {
  readonly kind: UnitKind
  /** The canonical spelling, for comparison. An unknown unit keeps its exact text. */
  readonly ucum: string
  /**
   * The spelling for pprof: the plural long form if pprof has a word with exactly this meaning, else the UCUM text.
   * pprof would read a 1000-byte `kBy` written as `kilobytes` as 1024 bytes.
   */
  readonly pprof: string
}

export type UnitOrText = Unit | string

/** Never fails: an unknown unit has the kind 'unknown' and equals only itself. A normalised unit is that of its sums. */
export function parseUnit(given: string): Unit {
  const text = plainUnit(given)
  const trimmed = text.trim()
  return known(trimmed) ?? annotated(trimmed) ?? { kind: 'unknown', ucum: text, pprof: text, ...ONE }
}

/** The same text for all spellings of one unit: `nanoseconds` and `ns` both give `ns`. */
export function canonicalUnit(text: string): string {
  return parseUnit(text).ucum
}

/**
 * The number of nanoseconds in one unit. Undefined if the unit is not a time or not an integer number of nanoseconds.
 */
export function nanosecondsOf(unit: UnitOrText): bigint | undefined {
  const ratio = asUnit(unit).kind === 'time' ? conversion(unit, 'ns') : undefined
  return ratio?.denominator === 1n ? ratio.numerator : undefined
}

/**
 * The factor that converts a value from `from` to `to`. Undefined if the kinds differ. Counts of different things cannot be
 * converted, but a bare count matches each of them.
 */
export function conversion(from: UnitOrText, to: UnitOrText): Ratio | undefined {
  const a = asUnit(from)
  const b = asUnit(to)
  if (a.ucum === b.ucum) return ONE
  if (a.kind !== b.kind || a.kind === 'unknown') return undefined
  if (a.kind === 'count' && a.ucum !== UNITY && b.ucum !== UNITY) return undefined
  return reduced(a.numerator * b.denominator, a.denominator * b.numerator)
}

const ONE: Ratio = { numerator: 1n, denominator: 1n }
const UNITY = '1'

/** Longer than any word below, so that a hostile unit of megabytes is not converted to lower case. */
const LONGEST_WORD = 32

function asUnit(unit: UnitOrText): Unit {
  return typeof unit === 'string' ? parseUnit(unit) : unit
}

function reduced(numerator: bigint, denominator: bigint): Ratio {
  let a = numerator
  let b = denominator
  while (b !== 0n) [a, b] = [b, a % b]
  return { numerator: numerator / a, denominator: denominator / a }
}

function known(text: string): Unit | undefined {
  return SYMBOLS.get(text) ?? (text.length <= LONGEST_WORD ? WORDS.get(text.toLowerCase()) : undefined)
}

/** UCUM annotations: `{x}` counts things called x, `By{x}` is By. The text in braces never changes a scale. */
function annotated(text: string): Unit | undefined {
  const open = text.indexOf('{')
  if (open < 0 || text.indexOf('}') !== text.length - 1 || text.includes('{', open + 1)) return undefined
  const annotation = text.slice(open)
  if (open > 0 && text.slice(0, open) !== UNITY) return SYMBOLS.get(text.slice(0, open))
  if (annotation === '{}') return SYMBOLS.get(UNITY)
  // `{sample}` and `{Samples}` are the samples that pprof writes without braces. `{bytes}` remains a count.
  const word = annotation.length <= LONGEST_WORD ? WORDS.get(annotation.slice(1, -1).toLowerCase()) : undefined
  if (word?.kind === 'count') return word
  return SYMBOLS.get(annotation) ?? { kind: 'count', ucum: annotation, pprof: annotation, ...ONE }
}

const SYMBOLS = new Map<string, Unit>()
const WORDS = new Map<string, Unit>()

/**
 * `symbols` match exactly, besides the UCUM spelling. `words` match in any case, with or without a final s, as in
 * pprof.
 */
function define(unit: Unit, words: readonly string[] = [], symbols: readonly string[] = []): void {
  for (const symbol of [unit.ucum, ...symbols]) SYMBOLS.set(symbol, unit)
  for (const word of words) WORDS.set(word, unit).set(`${word}s`, unit)
}

function multiple(kind: UnitKind, ucum: string, pprof: string, numerator: bigint, denominator = 1n): Unit {
  return { kind, ucum, pprof, numerator, denominator }
}

// `Ms` is a megasecond in UCUM, although pprof reads it as ms. `MS` is not a time in UCUM, so it is ms here. `S`, `H`,
// `D` and `m` stay unknown: they are siemens, henry, debye and metre in UCUM.
define(multiple('time', 'ps', 'picoseconds', 1n, 1000n), ['picosecond'])
define(multiple('time', 'ns', 'nanoseconds', 1n), ['ns', 'nsec', 'nano', 'nanosecond'])
// The micro sign (U+00B5) and the Greek mu (U+03BC) look the same, and both occur.
define(multiple('time', 'us', 'microseconds', 1000n), ['us', 'usec', 'micro', 'microsecond'], ['\u00b5s', '\u03bcs'])
define(multiple('time', 'ms', 'milliseconds', 1_000_000n), ['ms', 'msec', 'milli', 'millisecond'])
define(multiple('time', 's', 'seconds', 1_000_000_000n), ['sec', 'second'])
define(multiple('time', 'ks', 'ks', 1000n * 1_000_000_000n))
define(multiple('time', 'Ms', 'Ms', 1_000_000n * 1_000_000_000n))
define(multiple('time', 'Gs', 'Gs', 1_000_000_000n * 1_000_000_000n))
define(multiple('time', 'min', 'minutes', 60n * 1_000_000_000n), ['min', 'minute'])
define(multiple('time', 'h', 'hours', 3600n * 1_000_000_000n), ['hr', 'hour'])
define(multiple('time', 'd', 'days', 86_400n * 1_000_000_000n), ['day'])
define(multiple('time', 'wk', 'weeks', 604_800n * 1_000_000_000n), ['week'])

// pprof reads kb, mb, gb, tb, pb and kilobytes ... petabytes as powers of 1024, so they are KiBy ... PiBy here. Only
// UCUM's kBy, MBy ... are powers of 1000. In UCUM, `B` and `b` are bel and barn, which no profile uses.
define(multiple('bytes', 'By', 'bytes', 1n), ['byte'], ['B', 'b'])
define(multiple('bytes', 'KiBy', 'kilobytes', 2n ** 10n), ['kb', 'kbyte', 'kilobyte', 'kib', 'kibibyte'])
define(multiple('bytes', 'MiBy', 'megabytes', 2n ** 20n), ['mb', 'mbyte', 'megabyte', 'mib', 'mebibyte'])
define(multiple('bytes', 'GiBy', 'gigabytes', 2n ** 30n), ['gb', 'gbyte', 'gigabyte', 'gib', 'gibibyte'])
define(multiple('bytes', 'TiBy', 'terabytes', 2n ** 40n), ['tb', 'tbyte', 'terabyte', 'tib', 'tebibyte'])
define(multiple('bytes', 'PiBy', 'petabytes', 2n ** 50n), ['pb', 'pbyte', 'petabyte', 'pib', 'pebibyte'])
define(multiple('bytes', 'EiBy', 'EiBy', 2n ** 60n), ['eib', 'exbibyte'])
for (const [i, prefix] of ['k', 'M', 'G', 'T', 'P', 'E'].entries()) {
  define(multiple('bytes', `${prefix}By`, `${prefix}By`, 1000n ** BigInt(i + 1)))
}

// Profilers do not distinguish milli and mega by case in multiples of bits, so the case is ignored.
define(multiple('bytes', 'bit', 'bits', 1n, 8n), ['bit'])
define(multiple('bytes', 'kbit', 'kilobits', 125n), ['kbit', 'kilobit'])
define(multiple('bytes', 'Mbit', 'megabits', 125_000n), ['mbit', 'megabit'])
define(multiple('bytes', 'Gbit', 'gigabits', 125_000_000n), ['gbit', 'gigabit'])
define(multiple('bytes', 'Kibit', 'kibibits', 2n ** 7n), ['kibit', 'kibibit'])
define(multiple('bytes', 'Mibit', 'mebibits', 2n ** 17n), ['mibit', 'mebibit'])
define(multiple('bytes', 'Gibit', 'gibibits', 2n ** 27n), ['gibit', 'gibibit'])

// `mHz` is defined so that case folding of `MHZ` and `Mhz` does not turn it into megahertz.
define(multiple('frequency', 'mHz', 'millihertz', 1n, 1000n), ['millihertz'])
define(multiple('frequency', 'Hz', 'hertz', 1n), ['hz', 'hertz'], ['1/s', '/s', 's-1'])
define(multiple('frequency', 'kHz', 'kilohertz', 1000n), ['khz', 'kilohertz'])
define(multiple('frequency', 'MHz', 'megahertz', 1_000_000n), ['mhz', 'megahertz'])
define(multiple('frequency', 'GHz', 'gigahertz', 1_000_000_000n), ['ghz', 'gigahertz'])

// `1` is a bare count and not a ratio, because profiles use it that way. A ratio must be marked as one.
define(multiple('ratio', '{ratio}', 'ratio', 1n), ['ratio', 'fraction'])
define(multiple('ratio', '%', 'percent', 1n, 100n), ['percent'])
define(multiple('ratio', '[ppm]', 'ppm', 1n, 1_000_000n), ['ppm'])

define(multiple('count', UNITY, 'count', 1n), ['count', 'unit', 'none'])

/**
 * Things that profilers count. pprof writes these units without braces, so they mean the annotation of the same name.
 */
const COUNTED = [
  'sample',
  'object',
  'goroutine',
  'contention',
  'cycle',
  'instruction',
  'event',
  'thread',
  'allocation',
  'call',
  'lock',
  'exception',
  'fault',
  'operation',
  'request',
  'page',
] as const
for (const name of COUNTED) define(multiple('count', `{${name}s}`, `${name}s`, 1n), [name])

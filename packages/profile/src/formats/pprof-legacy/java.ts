// Reads the profiles of Java agents: samples with ids instead of addresses, and a list that gives the name of each id.
import { ATTRIBUTE_LINE } from './header-line.ts'
import { FormatError } from '../format.ts'
import type { ReadOptions } from '../format.ts'
import { FORMAT, LegacyProfile, inInt64, int64Of, unsampled } from './legacy-profile.ts'
import type { SymbolLine } from './legacy-profile.ts'
import type { LineReader } from './line-reader.ts'

const SAMPLE = /^(\d+)\s+(\d+)\s+@/
const LOCATION = /^0x([\da-f]{1,16})\s+(\S.*)$/i
/** The agents do not write their heap sampling rate. It is always 512 KiB. */
const HEAP_RATE = 524_288n
const NANOS_PER_MILLI = 1_000_000n

/** Expects the header to be the current line. */
export function readJava(line: LineReader, kind: 'heap' | 'contention', options: ReadOptions): LegacyProfile {
  const profile = new LegacyProfile(options)
  const start = line.from
  let isThere = line.next()
  for (; isThere; isThere = line.next()) {
    if (line.isBlank) continue
    const [, name, value] = ATTRIBUTE_LINE.exec(line.text(200)) ?? []
    if (name === undefined) break
    readAttribute(profile, kind, name, value, line.from)
  }
  if (profile.types.length === 0) throw new FormatError(FORMAT, start, 'the header has no resolution')
  for (; isThere; isThere = line.next()) {
    if (line.isBlank) continue
    const at = line.indexOf('@')
    const [, size, count] = SAMPLE.exec(at < 0 ? '' : line.text(at + 1 - line.from)) ?? []
    if (size === undefined) break
    try {
      readSample(profile, kind, line, at, int64Of(count, line.from), int64Of(size, line.from))
    } catch (error) {
      profile.skip(error)
    }
  }
  if (isThere) readLocation(profile, line)
  readJavaLocations(profile, line)
  return profile
}

function readAttribute(profile: LegacyProfile, kind: string, name: string, value: string, offset: number): void {
  switch (`${kind}/${name}`) {
    case 'heap/format':
    case 'contention/format':
      if (value !== 'java') throw new FormatError(FORMAT, offset, `unknown format "${value}"; expected "java"`)
      return
    case 'heap/resolution':
      profile.types = [
        { type: 'inuse_objects', unit: 'count' },
        { type: 'inuse_space', unit: value },
      ]
      return
    case 'contention/resolution':
      profile.types = [
        { type: 'contentions', unit: 'count' },
        { type: 'delay', unit: value },
      ]
      return
    case 'contention/sampling period':
      profile.periodType = { type: 'contentions', unit: 'count' }
      profile.period = wholeNumber(value, offset)
      return
    case 'contention/ms since reset':
      profile.durationNano = inInt64(wholeNumber(value, offset) * NANOS_PER_MILLI, offset)
      return
    default:
      throw new FormatError(FORMAT, offset, `header "${name}" is not known`)
  }
}

export function wholeNumber(text: string, offset: number): bigint {
  if (!/^\d{1,20}$/.test(text)) throw new FormatError(FORMAT, offset, `"${text}" is not a whole number`)
  return int64Of(text, offset)
}

function readSample(
  profile: LegacyProfile,
  kind: 'heap' | 'contention',
  line: LineReader,
  at: number,
  count: bigint,
  size: bigint,
): void {
  profile.hexFrames(line.bytes, at, line.to, () => false)
  if (kind === 'contention') {
    const factor = profile.period === 0n ? 1n : profile.period
    profile.sample([inInt64(count * factor, line.from), inInt64(size * factor, line.from)])
    return
  }
  if (count === 0n) throw new FormatError(FORMAT, line.from, 'sample with 0 objects')
  const values = unsampled(count, size, HEAP_RATE, line.from)
  profile.blockSizes[profile.sampleCount] = size / count
  profile.sample(values)
}

/** Reads the lines after the current one. */
export function readJavaLocations(profile: LegacyProfile, line: LineReader): void {
  profile.hasNamedIds = true
  while (line.next()) readLocation(profile, line)
}

function readLocation(profile: LegacyProfile, line: LineReader): void {
  if (!line.startsWith('0x')) return
  const [, id, what] = LOCATION.exec(line.text()) ?? []
  if (id === undefined) return
  const whole = BigInt(`0x${id}`)
  const known = profile.addresses.length
  const row = profile.address(Number(BigInt.asIntN(32, whole)), Number(BigInt.asIntN(32, whole >> 32n)))
  // No sample uses this id. Its new row stays unreferenced.
  if (row === known) return
  profile.symbols.set(row, [symbolOf(what)])
}

/** Parses `function (File.java:12)`, `function (/lib/libjvm.so)`, `generated stub/JIT`, or a state such as `GC`. */
function symbolOf(what: string): SymbolLine {
  const open = what.endsWith(')') ? what.lastIndexOf('(') : -1
  if (open > 0 && /\s/.test(what[open - 1])) {
    const name = what.slice(0, open).trimEnd()
    const inside = what.slice(open + 1, -1)
    const colon = inside.lastIndexOf(':')
    const number = inside.slice(colon + 1)
    if (colon > 0 && /^-?\d{1,18}$/.test(number)) {
      const line = BigInt(number)
      return { name, file: inside.slice(0, colon), line: line > 0n ? line : 0n }
    }
    return { name, file: inside.slice(inside.lastIndexOf('/') + 1), line: 0n }
  }
  return { name: what.includes('generated stub/JIT') ? 'STUB' : what, file: '', line: 0n }
}

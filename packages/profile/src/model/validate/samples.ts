// Checks single samples, and what all samples of a profile must have in common.
import { GrowingInts } from '../columns/growing-columns.ts'
import { SequenceInterner } from '../build/intern.ts'
import { highHalf, lowHalf } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import { profilePath } from './paths.ts'
import type { ProblemList } from './problems.ts'
import type { RuleId } from './rules.ts'

export function checkSamples(profiles: Profiles, problems: ProblemList): void {
  for (let p = 0; p < profiles.profiles.length; p++) {
    checkShapes(profiles, p, problems)
    if (problems.strict) checkTimestamps(profiles, p, problems)
  }
  if (problems.strict) checkIdentities(profiles, problems)
}

const SHAPES = ['nothing', 'values only', 'timestamps only', 'values and timestamps']

function checkShapes(all: Profiles, p: number, problems: ProblemList): void {
  const { profiles, samples } = all
  const from = profiles.samplesFrom(p)
  const to = profiles.samplesTo(p)
  let usual = 0
  let usualFrom = 0
  for (let s = from; s < to; s++) {
    const values = samples.valuesTo(s) - samples.valuesFrom(s)
    const timestamps = samples.timestampsTo(s) - samples.timestampsFrom(s)
    const shape = (values > 0 ? 1 : 0) + (timestamps > 0 ? 2 : 0)
    if (shape === 0) report(all, problems, 'sample-empty', p, s - from, 'it has neither values nor timestamps')
    else if (shape === 1 && values > 1) {
      report(all, problems, 'sample-one-value', p, s - from, `${values} values and no timestamps`)
    } else if (shape === 3 && values !== timestamps) {
      report(all, problems, 'sample-lengths', p, s - from, `${values} values and ${timestamps} timestamps`)
    }
    if (usual === 0) {
      usual = shape
      usualFrom = s
    } else if (shape !== usual && shape !== 0) {
      const message = `it has ${SHAPES[shape]}, but samples[${usualFrom - from}] has ${SHAPES[usual]}`
      report(all, problems, 'sample-shape', p, s - from, message)
    }
  }
}

/** Outside of the loops, which would otherwise allocate an object per sample; see dictionary-rows.ts. */
function report(all: Profiles, problems: ProblemList, rule: RuleId, p: number, place: number, message: string): void {
  problems.add(rule, () => [`${profilePath(all, p)}.samples[${place}]`, message])
}

function checkTimestamps(all: Profiles, p: number, problems: ProblemList): void {
  const { profiles, samples } = all
  const time = profiles.time(p)
  const end = time + profiles.duration(p)
  if (time === 0n) return
  if (time === end) {
    // Profiles of one moment, such as a heap snapshot, may omit the duration. Then their samples have no timestamps.
    if (hasTimestamps(all, p))
      problems.add('timestamp-duration', () => [`${profilePath(all, p)}.duration_nano`, 'the samples have timestamps'])
    return
  }
  const startLo = lowHalf(time) >>> 0
  const startHi = highHalf(time) >>> 0
  const endLo = lowHalf(end) >>> 0
  // Not cut to 32 bits: a range that ends beyond 2^64 has no upper limit for timestamps.
  const endHi = Number(end >> 32n)
  const { ints, base } = samples.timestamps
  const samplesFrom = profiles.samplesFrom(p)
  for (let s = samplesFrom; s < profiles.samplesTo(p); s++) {
    const from = samples.timestampsFrom(s)
    const to = samples.timestampsTo(s)
    for (let k = from; k < to; k++) {
      const lo = ints[base + 2 * k] >>> 0
      const hi = ints[base + 2 * k + 1] >>> 0
      const isEarly = hi < startHi || (hi === startHi && lo < startLo)
      const isLate = hi > endHi || (hi === endHi && lo >= endLo)
      if (isEarly || isLate) reportTimestamp(all, problems, p, s, k)
    }
  }
}

function hasTimestamps({ profiles, samples }: Profiles, p: number): boolean {
  const from = profiles.samplesFrom(p)
  const to = profiles.samplesTo(p)
  return from < to && samples.timestampsFrom(from) < samples.timestampsTo(to - 1)
}

function reportTimestamp(all: Profiles, problems: ProblemList, p: number, s: number, k: number): void {
  const { profiles, samples } = all
  problems.add('timestamp-range', () => {
    const time = profiles.time(p)
    const sample = `${profilePath(all, p)}.samples[${s - profiles.samplesFrom(p)}]`
    return [
      `${sample}.timestamps_unix_nano[${k - samples.timestampsFrom(s)}]`,
      `${samples.timestamps.unsigned()[k]} is not in [${time}, ${time + profiles.duration(p)})`,
    ]
  })
}

/** Compares row numbers, as the data format defines it. dictionary-duplicate reports equal rows of the dictionary. */
function checkIdentities(all: Profiles, problems: ProblemList): void {
  const { profiles, samples } = all
  const { attributes } = samples
  const interner = new SequenceInterner()
  const firstSample = new Int32Array(samples.length)
  const key = new GrowingInts()
  for (let p = 0; p < profiles.length; p++) {
    const samplesFrom = profiles.samplesFrom(p)
    for (let s = samplesFrom; s < profiles.samplesTo(p); s++) {
      key.length = 0
      key.push(p)
      key.push(samples.stack(s))
      key.push(samples.link(s))
      const from = samples.attributesFrom(s)
      const to = samples.attributesTo(s)
      key.pushAll(attributes.ints, attributes.base + from, attributes.base + to)
      if (to - from > 1) key.array.subarray(3, key.length).sort()
      const before = interner.length
      const identity = interner.intern(key.array, 0, key.length)
      if (identity === before) firstSample[identity] = s
      else {
        const message = `it has the same stack, attributes and link as samples[${firstSample[identity] - samplesFrom}]`
        report(all, problems, 'sample-identity', p, s - samplesFrom, message)
      }
    }
  }
}

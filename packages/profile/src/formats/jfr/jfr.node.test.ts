// Compares real recordings with the output of another reader, the oracle. They differ in three ways that do not concern the
// recorded data:
// - Oracle time samples always count 10 ms, so the test compares the number of samples.
// - Oracle delays are clock ticks, although they are called nanoseconds, so each of our values may be up to one less.
// - Oracles write an unknown line as 4294967295 or 0; this reader writes 0.
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { findBadReference } from '../../model/validate/references.ts'
import { validate } from '../../model/validate/validate.ts'
import { corpus } from '../testing/corpora.node.ts'
import { readChunkHeader } from './encoding/chunk-header.ts'
import { readJfr } from './read.ts'
import { foldedLines, profileOfType } from './testing/folded-lines.ts'

const recordings = corpus('jfr') ?? []
const oracles = corpus('jfr/expected') ?? []

const ORACLE_PERIOD = 10_000_000n

/** Profile types by the part of an oracle's file name that names its content. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  process_cpu_cpu__nanoseconds: ['cpu'],
  wall_wall__nanoseconds: ['wall'],
  'memory_alloc_in_new_tlab_objects__count-alloc_in_new_tlab_bytes__bytes': [
    'alloc_in_new_tlab_objects',
    'alloc_in_new_tlab_bytes',
  ],
  'memory_alloc_outside_tlab_objects__count-alloc_outside_tlab_bytes__bytes': [
    'alloc_outside_tlab_objects',
    'alloc_outside_tlab_bytes',
  ],
  'memory_alloc_sample_objects__count-alloc_sample_bytes__bytes': ['alloc_sample_objects', 'alloc_sample_bytes'],
  'mutex_contentions__count-delay__nanoseconds': ['mutex_contentions', 'mutex_delay'],
  'block_contentions__count-delay__nanoseconds': ['block_contentions', 'block_delay'],
}

function oracleLines(bytes: Uint8Array): Map<string, bigint[]> {
  const lines = gunzipSync(bytes).toString('utf8').split('\n')
  const sums = new Map<string, bigint[]>()
  for (const line of lines) {
    const [, stack, values] = /^(.*) \[([\d ]+)\]$/.exec(line) ?? []
    const key = stack.replaceAll(':4294967295', ':0')
    const known = sums.get(key)
    const numbers = values.split(' ').map(BigInt)
    sums.set(key, known === undefined ? numbers : numbers.map((value, i) => value + known[i]))
  }
  return sums
}

/** The content of an oracle, or undefined if it belongs to another recording. */
function kindOf(recording: string, oracle: string): string | undefined {
  if (!oracle.startsWith(`${recording}_`)) return undefined
  return /^_\d+_(.*)_expected_collapsed\.txt\.gz$/.exec(oracle.slice(recording.length))?.[1]
}

test.runIf(oracles.length > 0)('every oracle belongs to a recording', () => {
  const compared = oracles.filter(({ name }) =>
    recordings.some(file => TYPES[kindOf(file.name.replace('.jfr.gz', ''), name) ?? ''] !== undefined),
  )
  expect(compared).toHaveLength(oracles.length)
})

describe.runIf(recordings.length > 0)('recordings of the corpus', () => {
  for (const file of recordings) {
    const base = file.name.replace('.jfr.gz', '')
    const bytes = new Uint8Array(gunzipSync(file.bytes))
    const { ticksPerSecond } = readChunkHeader(bytes, 0, false, () => {})

    test(`${base}: is valid`, () => {
      const { profiles, notes } = readJfr(bytes)
      expect(findBadReference(profiles)).toBeUndefined()
      expect(validate(profiles, { strict: true })).toEqual([])
      expect(notes.map(({ code }) => code).filter(code => !code.endsWith('-left-out'))).toEqual([])
    })

    for (const oracle of oracles.filter(({ name }) => kindOf(base, name) !== undefined)) {
      const kind = kindOf(base, oracle.name)!

      test(`${base}: ${kind} matches the oracle`, () => {
        const { profiles } = readJfr(bytes)
        const shown = TYPES[kind].map(type => profileOfType(profiles, type))
        const lines = foldedLines(profiles, shown)
        const period = profiles.profiles.period(shown[0])
        const expected = oracleLines(oracle.bytes)
        expect([...lines.keys()].sort()).toEqual([...expected.keys()].sort())
        for (const [stack, values] of lines) {
          const theirs = expected.get(stack)!
          if (kind.includes('delay')) {
            const short = theirs[1] * 1_000_000_000n - values[1] * ticksPerSecond
            expect([stack, values[0], short >= 0n, short < theirs[0] * ticksPerSecond]).toEqual([
              stack,
              theirs[0],
              true,
              true,
            ])
          } else if (shown.length === 1) {
            expect([stack, (values[0] / period) * ORACLE_PERIOD]).toEqual([stack, theirs[0]])
          } else expect([stack, ...values]).toEqual([stack, ...theirs])
        }
      })
    }
  }
})

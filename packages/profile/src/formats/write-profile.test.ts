import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../model/build/builder.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { readProfile } from './read-profile.ts'
import { writeProfile } from './write-profile.ts'

/** Snapshots of the live heap of one process, one per minute. */
function heaps(...live: readonly number[]): Profiles {
  const b = new ProfilesBuilder()
  const stack = b.stack([b.location({ lines: [{ function: b.function({ name: 'cache' }), line: 1 }] })])
  for (const [minute, value] of live.entries()) {
    b.profile({ type: 'inuse_space', unit: 'bytes', timeUnixNano: BigInt(minute + 1) * 60_000_000_000n })
    b.sample({ stack, values: [BigInt(value)] })
  }
  return b.build()
}

function totalOf({ samples }: Profiles): bigint {
  return Array.from({ length: samples.length }, (_, i) => samples.total(i)).reduce((sum, total) => sum + total, 0n)
}

describe('writeProfile', () => {
  it.each(['folded', 'pprof'])('averages snapshots in %s, which would add them up', format => {
    const written = writeProfile(heaps(30, 60, 60), format)
    expect(totalOf(readProfile(written.bytes).profiles)).toBe(50n)
    expect(written.notes.map(({ code }) => code)).toContain('snapshots-averaged')
    expect(totalOf(readProfile(writeProfile(heaps(30, 60, 60), format, { snapshots: 'sum' }).bytes).profiles)).toBe(
      150n,
    )
  })

  it('keeps all snapshots in formats with times', () => {
    expect(totalOf(readProfile(writeProfile(heaps(30, 60, 60), 'otlp').bytes).profiles)).toBe(150n)
  })
})

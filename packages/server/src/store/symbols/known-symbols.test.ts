import { KnownSymbols, ProfilesBuilder, encodeOtlp, readOtlp, readPprof, writePprof } from '@hearth/profile'
import type { Profiles, ReadOptions } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { GroupRows } from '../group-rows.ts'
import { writeProfiles } from '../profiles/write-profiles.ts'
import { MemoryLedger } from './ledger.ts'

/** One dictionary, whichever samples are used. */
function example(value: number, used: readonly number[]): Profiles {
  const builder = new ProfilesBuilder()
  const stacks = ['main', 'run', 'gc'].map(name => {
    const mapping = builder.mapping({ filename: 'app', attributes: [builder.attribute('build', name)] })
    const location = builder.location({ mapping, address: 5n, lines: [{ function: builder.function({ name }) }] })
    return builder.stack([location])
  })
  const attributes = [builder.attribute('thread', 'one'), builder.attribute('cpu', 1n)]
  builder.profile({ type: 'cpu', unit: 'nanoseconds', timeUnixNano: 1_700_000_000_000_000_000n + BigInt(value) })
  for (const i of used) builder.sample({ stack: stacks[i], attributes: attributes.slice(i % 2), values: [value] })
  return builder.build()
}

type Step = readonly [tenant: string, day: number, used: readonly number[]] | 'forget'

const STEPS: readonly Step[] = [
  ['a', 1, [0]],
  ['a', 1, [0, 1]],
  ['a', 1, [0, 1]],
  ['b', 1, [1]],
  ['a', 1, [0, 2]],
  ['a', 1, [0, 1, 2]],
  'forget',
  ['a', 1, [1]],
  ['a', 1, [0, 1]],
  ['a', 2, [2]],
  ['a', 2, [0, 2]],
  ['b', 2, [0, 1, 2]],
]

/** All rows, by table, after each step. */
function rowsOf(read: (used: readonly number[], value: number) => Profiles): string[] {
  const ledger = new MemoryLedger()
  return STEPS.map((step, i) => {
    if (step === 'forget') {
      ledger.forgetAll()
      return ''
    }
    const [tenant, day, used] = step
    const rows = new GroupRows()
    const request = new Uint8Array(16).fill(i)
    writeProfiles(rows, { tenant, request, received: BigInt(i), day }, read(used, i), ledger)
    return rows
      .batches()
      .map(batch => `${batch.table.name} ${batch.rows} ${Buffer.from(batch.toNative()).toString('hex')}`)
      .join('\n')
  })
}

describe('known symbols', () => {
  const forms = {
    otlp: (used: readonly number[], value: number, options: ReadOptions) =>
      readOtlp(encodeOtlp(example(value, used)), options).profiles,
    pprof: (used: readonly number[], value: number, options: ReadOptions) =>
      readPprof(writePprof(example(value, used)).bytes, options).profiles,
  }

  it.each(Object.entries(forms))('leave the rows of %s as they are', (_name, read) => {
    const symbols = new KnownSymbols({ equal: (a, b) => Buffer.compare(a, b) === 0 })
    let known = 0
    const rows = rowsOf((used, value) => {
      const profiles = read(used, value, { symbols })
      if (profiles.dictionary.origin !== undefined) known++
      return profiles
    })
    expect(rows).toEqual(rowsOf((used, value) => read(used, value, {})))
    expect(known).toBeGreaterThan(0)
  })
})

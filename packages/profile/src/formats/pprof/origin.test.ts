import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { DictionaryOrigin } from '../../model/columns/dictionary.ts'
import { KnownSymbols } from '../known-symbols.ts'
import { readPprof } from './read.ts'
import { writePprof } from './write.ts'

const newSymbols = (): KnownSymbols =>
  new KnownSymbols({ equal: (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]) })

function file(names: readonly string[], value: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'nanoseconds', timeUnixNano: 1_700_000_000_000_000_000n + BigInt(value) })
  for (const name of names) {
    const location = builder.location({ lines: [{ function: builder.function({ name }) }] })
    builder.sample({ stack: builder.stack([location]), values: [value] })
  }
  return writePprof(builder.build()).bytes
}

describe('readPprof with known symbols', () => {
  it('recognises files with the same tables and other samples', () => {
    const symbols = newSymbols()
    const originOf = (names: readonly string[], value: number): DictionaryOrigin | undefined =>
      readPprof(file(names, value), { symbols }).profiles.dictionary.origin
    expect(originOf(['main', 'run'], 1)).toBeUndefined()
    const origin = originOf(['main', 'run'], 2)
    expect(origin).toMatchObject({ attributes: 0, stacks: 0 })
    expect(originOf(['main', 'run'], 3)).toBe(origin)
    expect(originOf(['main', 'ran'], 3)).toBeUndefined()
    expect(originOf(['main', 'ran'], 3)).not.toBe(origin)
  })

  it('does not recognise files whose tables are apart', () => {
    const symbols = newSymbols()
    const bytes = file(['main'], 1)
    // A string that nothing refers to, behind the other fields.
    const apart = Uint8Array.of(...bytes, 0x32, 1, 65)
    for (let i = 0; i < 3; i++) expect(readPprof(apart, { symbols }).profiles.dictionary.origin).toBeUndefined()
  })
})

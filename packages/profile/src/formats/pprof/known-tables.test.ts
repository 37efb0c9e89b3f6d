import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { DictionaryOrigin } from '../../model/columns/dictionary.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { withHeaders } from '../../model/edit/with-headers.ts'
import type { ReadResult } from '../format.ts'
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

/** The message of the error that `read` throws, or the number of samples that it reads. */
function messageOf(read: () => ReadResult): string {
  try {
    return `${read().profiles.samples.length} samples`
  } catch (error) {
    return String(error)
  }
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

  it('reads files with known tables like others, also if their tables are at another place', () => {
    const symbols = newSymbols()
    for (const value of [1, 2, 3, 300, 70_000]) {
      const bytes = file(['main', 'run', 'größer'], value)
      const { profiles } = readPprof(bytes, { symbols })
      expect(difference(profiles, readPprof(bytes).profiles)).toBeUndefined()
    }
  })

  it('keeps the profiles of all files until the memory is released, and reuses it then', () => {
    const symbols = newSymbols()
    const expected = readPprof(file(['main', 'run'], 1)).profiles
    const first = readPprof(file(['main', 'run'], 1), { symbols }).profiles
    const second = readPprof(file(['other'], 70_000), { symbols }).profiles
    expect(difference(first, expected)).toBeUndefined()
    expect(difference(second, readPprof(file(['other'], 70_000)).profiles)).toBeUndefined()
    expect(second.samples.ints.buffer).not.toBe(first.samples.ints.buffer)
    symbols.memory.release()
    const third = readPprof(file(['main', 'run'], 3), { symbols }).profiles
    expect(third.samples.ints.buffer).toBe(first.samples.ints.buffer)
    expect(difference(third, readPprof(file(['main', 'run'], 3)).profiles)).toBeUndefined()
  })

  it('reads files of any size in any order into the same memory', () => {
    const symbols = newSymbols()
    const names = Array.from({ length: 2000 }, (_, i) => `function ${i}`)
    for (const count of [1, 2000, 3, 500, 1]) {
      symbols.memory.release()
      const bytes = file(names.slice(0, count), count)
      const attributes = [{ key: 'service.name', value: 'shop' }]
      const edit = (read: ReadResult) =>
        withHeaders(read.profiles, {
          resource: resource => ({ ...resource, attributes }),
          scope: scope => scope,
          profile: () => ({ attributes: [{ key: 'added', value: 'x' }] }),
        })
      expect(difference(edit(readPprof(bytes, { symbols })), edit(readPprof(bytes)))).toBeUndefined()
    }
  })

  it('reports a damaged file with known tables like others', () => {
    const symbols = newSymbols()
    const bytes = file(['main', 'run'], 1)
    for (let i = 0; i < 3; i++) readPprof(bytes, { symbols })
    for (const broken of [
      bytes.subarray(0, -1),
      Uint8Array.of(...bytes, 0x12, 200),
      Uint8Array.of(...bytes, 0x12, 2, 8, 99),
    ])
      expect(messageOf(() => readPprof(broken, { symbols }))).toBe(messageOf(() => readPprof(broken)))
  })

  it('does not keep tables that have to be repaired', () => {
    const symbols = newSymbols()
    const bytes = file(['main'], 1)
    const at = bytes.indexOf(0x6d)
    bytes[at] = 0xff
    for (let i = 0; i < 3; i++)
      expect(readPprof(bytes, { symbols }).notes.map(({ code }) => code)).toEqual(['invalid-utf8'])
  })

  it('does not recognise files whose tables are apart', () => {
    const symbols = newSymbols()
    const bytes = file(['main'], 1)
    // A string that nothing refers to, behind the other fields.
    const apart = Uint8Array.of(...bytes, 0x32, 1, 65)
    for (let i = 0; i < 3; i++) expect(readPprof(apart, { symbols }).profiles.dictionary.origin).toBeUndefined()
  })
})

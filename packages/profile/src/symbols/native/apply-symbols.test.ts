import { describe, expect, it } from 'vitest'
import type { FunctionIndex, LocationIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { buildProfiles, type LocationSpec, type MappingSpec } from '../../model/testing/profiles-spec.ts'
import { applySymbols, type BinarySymbols, type MappedBinary } from './apply-symbols.ts'
import { SymbolIndex } from './index/symbol-index.ts'
import { readSymbols } from './read-symbols.ts'
import { programs } from './testing/generated/programs.ts'

function symbolsOf(base64: string): BinarySymbols {
  const { index, object } = readSymbols(Uint8Array.from(atob(base64), character => character.charCodeAt(0)))
  return { index: SymbolIndex.open(index), segments: object?.segments ?? [] }
}

function profilesOf(...stack: LocationSpec[]): Profiles {
  const profile = { type: 'cpu', unit: 'ns', samples: [{ stack, values: [1n] }] }
  return buildProfiles([{ scopes: [{ profiles: [profile] }] }])
}

function linesOf({ dictionary: { locations, functions, strings } }: Profiles): string[][] {
  return Array.from({ length: locations.length - 1 }, (_, i) => {
    const row = (i + 1) as LocationIndex
    return Array.from({ length: locations.linesTo(row) - locations.linesFrom(row) }, (_unused, k) => {
      const line = locations.linesFrom(row) + k
      const name = strings.text(functions.name(locations.lines.function(line)))
      return `${name}:${locations.lines.line(line)}`
    })
  })
}

const GNU = 'process.executable.build_id.gnu'
const mapping: MappingSpec = {
  memoryStart: 0x401000n,
  memoryLimit: 0x402000n,
  fileOffset: 0x1000n,
  filename: 'shop',
  attributes: [{ key: GNU, value: 'c0ffee' }],
}
const TOTAL = ['rounded:4', 'discounted:8', '_ZNK4shop4Cart5totalEv:13']

describe('applySymbols', () => {
  it('names frames without lines, with their inlined calls, and keeps the others', () => {
    const named = { lines: [{ function: { name: 'sent' }, line: 3n }], mapping, address: 0x401002n }
    const requested: MappedBinary[] = []
    const result = applySymbols(
      profilesOf({ mapping, address: 0x401000n }, named, { mapping, address: 0x401f00n }),
      binary => {
        requested.push(binary)
        return symbolsOf(programs.dwarf5)
      },
    )
    expect(requested).toEqual([{ filename: 'shop', buildIds: { gnu: 'c0ffee' } }])
    expect([result.resolved, result.unresolved]).toEqual([1, 1])
    expect(linesOf(result.profiles)).toEqual([TOTAL, ['sent:3'], []])
  })

  it('gives frames of Go their inlined calls and first lines if the binary has the same function there', () => {
    const sentAs = (name: string, type: string): LocationSpec => ({
      lines: [{ function: { name }, line: 4n }],
      mapping,
      address: 0x401000n,
      attributes: [{ key: 'profile.frame.type', value: type }],
    })
    const outermost = '_ZNK4shop4Cart5totalEv'
    const result = applySymbols(
      profilesOf(sentAs(outermost, 'go'), sentAs('other', 'go'), sentAs(outermost, 'native')),
      () => symbolsOf(programs.dwarf5),
    )
    expect([result.resolved, result.unresolved]).toEqual([1, 0])
    expect(linesOf(result.profiles)).toEqual([TOTAL, ['other:4'], [`${outermost}:4`]])
    const { functions } = result.profiles.dictionary
    const starts = Array.from({ length: functions.length }, (_, row) => functions.startLine(row as FunctionIndex))
    expect(starts.filter(start => start > 0n)).toHaveLength(TOTAL.length)
  })

  it('converts the addresses of a run to those of the file', () => {
    const atRunTime = { ...mapping, memoryStart: 0x7f55_0000_1000n, memoryLimit: 0x7f55_0000_2000n }
    const result = applySymbols(profilesOf({ mapping: atRunTime, address: 0x7f55_0000_1000n }), () =>
      symbolsOf(programs.dwarf5),
    )
    expect(linesOf(result.profiles)).toEqual([TOTAL])
  })

  it('returns the same profiles if there are no symbols', () => {
    const profiles = profilesOf({ mapping, address: 0x401000n })
    const result = applySymbols(profiles, () => undefined)
    expect(result).toEqual({ profiles, resolved: 0, unresolved: 1 })
    expect(result.profiles).toBe(profiles)
  })
})

import { describe, expect, it } from 'vitest'
import { locationCosts } from '../../analyze/location-costs.ts'
import { stackWeights } from '../../analyze/stacks/stack-weights.ts'
import { buildProfiles, type LocationSpec, type MappingSpec } from '../../model/testing/profiles-spec.ts'
import { applySymbols, type BinarySymbols } from './apply-symbols.ts'
import { calledCode } from './called-code.ts'
import { SymbolIndex } from './index/symbol-index.ts'
import { readSymbols } from './read-symbols.ts'
import { bytesOf } from './testing/fuzz-symbols.ts'
import { programs } from './testing/generated/programs.ts'

const mapping: MappingSpec = {
  memoryStart: 0x401000n,
  memoryLimit: 0x402000n,
  fileOffset: 0x1000n,
  filename: 'shop',
  attributes: [{ key: 'process.executable.build_id.gnu', value: 'c0ffee' }],
}
const at = (address: bigint): LocationSpec => ({ mapping, address })
const { index, object } = readSymbols(bytesOf(programs.dwarf5))
const symbols: BinarySymbols = { index: SymbolIndex.open(index), segments: object?.segments ?? [] }
const TOTAL = '_ZNK4shop4Cart5totalEv'
const { profiles } = applySymbols(
  buildProfiles([
    {
      scopes: [
        {
          profiles: [
            {
              type: 'cpu',
              unit: 'ns',
              samples: [
                { stack: [at(0x401000n)], values: [5n] },
                // A recursion: the stack counts once in the total.
                { stack: [at(0x401002n), at(0x401000n), at(0x401000n)], values: [2n] },
                { stack: [{ lines: [{ function: { name: 'other' } }] }], values: [9n] },
              ],
            },
          ],
        },
      ],
    },
  ]),
  () => symbols,
)

describe('calledCode', () => {
  it('finds the code of a function and the locations in it', () => {
    const [code, ...others] = calledCode(profiles.dictionary, TOTAL, () => symbols)
    expect(others).toEqual([])
    expect(code.name).toBe(TOTAL)
    expect(new Set(code.addresses.values())).toEqual(new Set([0x401000n, 0x401002n]))
    const locations = [...code.addresses.keys()]
    const weights = stackWeights(profiles, 0)
    const costs = locationCosts(profiles.dictionary, new Map(locations.map(each => [each, each])), weights)
    const byAddress = [...code.addresses].map(([location, address]) => [address, costs.get(location)])
    expect(new Map(byAddress as [bigint, object][])).toEqual(
      new Map([
        [0x401000n, expect.objectContaining({ self: 5n, total: 7n })],
        [0x401002n, expect.objectContaining({ self: 2n, total: 2n })],
      ]),
    )
    const whole = locationCosts(profiles.dictionary, new Map(locations.map(each => [each, 'all'])), weights)
    expect(whole.get('all')).toMatchObject({ self: 7n, total: 7n })
  })

  it('finds the function that contains an inlined call', () => {
    expect(calledCode(profiles.dictionary, 'rounded', () => symbols).map(({ name }) => name)).toEqual([TOTAL])
  })

  it('finds nothing for functions without native code, or without symbols', () => {
    expect(calledCode(profiles.dictionary, 'other', () => symbols)).toEqual([])
    expect(calledCode(profiles.dictionary, TOTAL, () => undefined)).toEqual([])
  })
})

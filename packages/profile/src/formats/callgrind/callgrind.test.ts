// Tests for Callgrind's text: costs of functions and calls, recursion, names.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callTree } from '../../analyze/profile-tree.ts'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { topTable } from '../../analyze/top.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { callgrind } from './index.ts'
import { writeCallgrind } from './write.ts'

interface Costs {
  readonly self: Map<string, bigint>
  readonly inclusive: Map<string, bigint>
  readonly calls: string[]
  readonly summary: bigint
}

/**
 * Computes costs like a viewer: the inclusive cost is the self cost plus that of all calls. callgrind_annotate sums the calls
 * to a function instead, and both must be equal.
 */
function read(profiles: Profiles): Costs {
  const { bytes } = writeCallgrind(profiles)
  const names = new Map<string, string>()
  const named = (text: string): string => {
    const [, number, name] = /^\((\d+)\)(?: (.*))?$/.exec(text)!
    if (name !== undefined) names.set(number, name)
    return names.get(number)!
  }
  const self = new Map<string, bigint>()
  const inclusive = new Map<string, bigint>()
  const incoming = new Map<string, bigint>()
  const calls: string[] = []
  let fn = ''
  let callee: string | undefined
  let summary = 0n
  for (const line of decodeUtf8(bytes).split('\n')) {
    const [, key, value] = /^(\w+)(?:=|: )(.*)$/.exec(line) ?? []
    if (key === 'summary') summary = BigInt(value)
    else if (key === 'fn') fn = named(value)
    else if (key === 'cfn') callee = named(value)
    const cost = /^(\d+) (\d+)$/.exec(line)
    if (cost === null) continue
    const amount = BigInt(cost[2])
    inclusive.set(fn, (inclusive.get(fn) ?? 0n) + amount)
    if (callee === undefined) self.set(fn, (self.get(fn) ?? 0n) + amount)
    else {
      incoming.set(callee, (incoming.get(callee) ?? 0n) + amount)
      calls.push(`${fn}:${cost[1]} > ${callee} ${amount}`)
    }
    callee = undefined
  }
  for (const name of inclusive.keys()) {
    if (name !== '(all)') expect(incoming.get(name)).toBe(inclusive.get(name))
  }
  return { self, inclusive, calls, summary }
}

describe('writeCallgrind', () => {
  test('writes the costs of functions and calls by line', () => {
    const { profiles } = profileOf(`
      3                2                1
      main[m.c:10]     main[m.c:11]     main[m.c:11]
      run[r.c:5]       run[r.c:6]       idle
      gc[r.c:9]`)
    const { calls, inclusive, self, summary } = read(profiles)
    expect(calls).toEqual([
      '(all):0 > main 6',
      'main:10 > run 3',
      'main:11 > run 2',
      'main:11 > idle 1',
      'run:5 > gc 3',
    ])
    expect([...inclusive]).toEqual([
      ['(all)', 6n],
      ['main', 6n],
      ['run', 5n],
      ['gc', 3n],
      ['idle', 1n],
    ])
    expect(self.get('run')).toBe(2n)
    expect(summary).toBe(6n)
  })

  test('counts recursion once in inclusive costs: each level is a function', () => {
    const { calls, inclusive } = read(profileOf(`\n 5  2\n a  a\n b  b\n a\n c`).profiles)
    expect(calls).toEqual(['(all):0 > a 7', 'a:0 > b 7', "b:0 > a'2 5", "a'2:0 > c 5"])
    expect([...inclusive]).toEqual([
      ['(all)', 7n],
      ['a', 7n],
      ['b', 7n],
      ["a'2", 5n],
      ['c', 5n],
    ])
  })

  test('writes self costs that add up and the same inclusive costs as the call tree for any stacks', () => {
    const stack = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 }),
      fc.bigInt(1n, 2n ** 60n),
    )
    fc.assert(
      fc.property(fc.array(stack, { minLength: 1, maxLength: 25 }), stacks => {
        const builder = new ProfilesBuilder()
        builder.profile({ type: 'cpu', unit: 'count' })
        for (const [path, value] of stacks) {
          const locations = Array.from(path, name =>
            builder.location({ lines: [{ function: builder.function({ name }) }] }),
          )
          builder.sample({ stack: builder.stack(locations.reverse()), values: [value] })
        }
        const profiles = builder.build()
        const { self, inclusive, summary } = read(profiles)
        expect([...self.values()].reduce((sum, value) => sum + value, 0n)).toBe(summary)
        expect(summary).toBe(callTree(profiles, 0).sum)
        const top = topTable(profiles, 0)
        for (let i = 0; i < top.length; i++) {
          expect(Number(inclusive.get(top.frames.name[top.frame[i]]))).toBe(top.total[i])
        }
      }),
    )
  })

  test('drops stacks with negative values', () => {
    const { bytes, notes } = writeCallgrind(profileOf(`\n 5  -2\n a  b`).profiles)
    expect(decodeUtf8(bytes)).toContain('summary: 5\n')
    expect(notes).toEqual([expect.objectContaining({ code: 'negative-values', count: 1 })])
  })
})

test('functions with one name in several files stay separate and have their objects', () => {
  const { bytes } = writeCallgrind(profileOf(`\n 1                2\n f[a.c:1](x.so)   f[b.c:1](y.so)`).profiles)
  const text = decodeUtf8(bytes)
  expect(text).toContain('cob=(2) x.so\ncfi=(2) a.c\ncfn=(2) f\n')
  expect(text).toContain('cob=(3) y.so\ncfi=(3) b.c\ncfn=(3) f\n')
  expect(text).toContain('ob=(2)\nfl=(2)\nfn=(2)\n1 1\n')
  expect(text).toContain('ob=(3)\nfl=(3)\nfn=(3)\n1 2\n')
})

test('names become one line and events become words', () => {
  const builder = new ProfilesBuilder()
  builder.profile({ type: '9 lives', unit: 'µs' })
  const location = builder.location({
    lines: [{ function: builder.function({ name: 'a\nfn=(1) b', filename: '\r' }) }],
  })
  builder.sample({ stack: builder.stack([location]), values: [1] })
  const { bytes } = writeCallgrind(builder.build())
  const text = decodeUtf8(bytes)
  expect(text).toContain('events: E9_lives__s\n')
  expect(text).toContain('cfi=(2) ???\ncfn=(2) a fn=(1) b\n')
})

test('the format is write-only and accepts empty profiles', () => {
  expect(callgrind).not.toHaveProperty('read')
  expect(callgrind.detect(encodeUtf8('# callgrind format'), 'callgrind.out.1')).toBe('no')
  const { bytes } = writeCallgrind(new ProfilesBuilder().build())
  expect(decodeUtf8(bytes)).toContain('summary: 0\n')
})

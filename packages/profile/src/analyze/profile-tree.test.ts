import { describe, expect, test } from 'vitest'
import { NONE } from '../model/columns/brand.ts'
import type { LocationIndex } from '../model/columns/brand.ts'
import { ProfilesBuilder } from '../model/build/builder.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { callTree } from './profile-tree.ts'
import { exactSelf, exactTotal, overflows } from './tree/exact-values.ts'
import { locationFrames } from './stacks/location-frames.ts'
import { profileOf } from './testing/profile-of.ts'
import { showTree } from './testing/show.ts'

const { profiles: example } = profileOf(`
  3ms   2ms   1ms
  main  main  main
  run   run   idle
  gc          `)

describe('callTree, root first,', () => {
  test('has columns in depth-first order', () => {
    const tree = callTree(example, 0)
    expect(Array.from(tree.frame, i => tree.frames.name[i])).toEqual(['main', 'run', 'gc', 'idle'])
    expect(Array.from(tree.parent)).toEqual([NONE, 0, 1, 0])
    expect(Array.from(tree.end)).toEqual([4, 3, 3, 4])
    expect(Array.from(tree.depth)).toEqual([0, 1, 2, 1])
    expect(Array.from(tree.self)).toEqual([0, 2, 3, 1])
    expect(Array.from(tree.total)).toEqual([6, 5, 3, 1])
    expect(tree.selfExact).toBeUndefined()
    expect([tree.sum, overflows(tree), tree.length]).toEqual([6n, false, 4])
  })

  test('orders siblings by total, then by name', () => {
    const { profiles } = profileOf(`
      1  1  1  5  1
      c  a  b  z  b
                  x`)
    expect(showTree(callTree(profiles, 0))).toEqual([
      'z 5 self 5',
      'b 2 self 1',
      '  x 1 self 1',
      'a 1 self 1',
      'c 1 self 1',
    ])
  })

  test('orders many siblings by total, then by name', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'ns' })
    for (let i = 0; i < 300; i++) {
      const lines = [{ function: builder.function({ name: `f${String((i * 7) % 300).padStart(3, '0')}` }) }]
      builder.sample({ stack: builder.stack([builder.location({ lines })]), values: [i % 2] })
      builder.sample({ stack: builder.stack([builder.location({ lines })]), values: [1] })
    }
    const tree = callTree(builder.build(), 0)
    const keys = Array.from(tree.frame, (frame, i) => `${9 - tree.total[i]} ${tree.frames.name[frame]}`)
    expect(new Set(keys).size).toBe(300)
    expect(keys).toEqual(keys.toSorted())
  })

  test('keeps recursion', () => {
    const { profiles } = profileOf(`
      1
      f
      f
      f`)
    expect(showTree(callTree(profiles, 0))).toEqual(['f 1', '  f 1', '    f 1 self 1'])
  })

  test('puts inlined calls below the function that contains them', () => {
    const { profiles } = profileOf(`
      2     1
      main  main
      run   run
      ^gc   `)
    expect(showTree(callTree(profiles, 0))).toEqual(['main 3', '  run 3 self 1', '    gc 2 self 2'])
    expect(showTree(callTree(profiles, 0, { inlined: false }))).toEqual(['main 3', '  run 3 self 3'])
  })

  test('merges neighbours of the same file or library into one node', () => {
    const { profiles } = profileOf(`
      1       2
      a[x.c]  a[x.c]
      b[x.c]  b[x.c]
      c[y.c]  c[y.c]
      d[x.c]  `)
    expect(showTree(callTree(profiles, 0, { by: 'file' }))).toEqual(['x.c 3', '  y.c 3 self 2', '    x.c 1 self 1'])
    expect(showTree(callTree(profiles, 0, { by: 'frame-type' }))).toEqual(['[unknown] 3 self 3'])
  })

  test('has the frame [unknown] for a stack without locations', () => {
    const { profiles } = profileOf(`
      1  2
      a  `)
    expect(showTree(callTree(profiles, 0))).toEqual(['[unknown] 2 self 2', 'a 1 self 1'])
  })

  test('uses the frame table that the caller passes', () => {
    const frames = locationFrames(example.dictionary, { by: 'mapping', inlined: true })
    expect(callTree(example, 0, { frames }).frames).toBe(frames.table)
    expect(() => callTree(profileOf('1\na').profiles, 0, { frames })).toThrow(RangeError)
  })
})

test('callTree, leaf first, puts callers below callees', () => {
  const tree = callTree(example, 0, { order: 'leaf-first' })
  expect(showTree(tree)).toEqual([
    'gc 3',
    '  run 3',
    '    main 3 self 3',
    'run 2',
    '  main 2 self 2',
    'idle 1',
    '  main 1 self 1',
  ])
})

describe('values of a call tree', () => {
  test('count each timestamp as 1 without values, and sum several values', () => {
    const { profiles } = profileOf(`
      @10,@20,@30  5@10,-2@20
      a            b`)
    expect(showTree(callTree(profiles, 0))).toEqual(['a 3 self 3', 'b 3 self 3'])
  })

  test('may be negative, and a stack of zeros adds no nodes', () => {
    const { profiles } = profileOf(`
      -3    1     0     5     -5
      main  main  main  swap  swap
      a     b     c           `)
    expect(showTree(callTree(profiles, 0))).toEqual(['swap 0', 'main -2', '  b 1 self 1', '  a -3 self -3'])
  })

  test('are exact above 2^53', () => {
    const { profiles } = profileOf(`
      9007199254740993  9007199254740993  2
      main              main              main
      a                 b                 a`)
    const tree = callTree(profiles, 0)
    expect(showTree(tree)).toEqual([
      'main 18014398509481988',
      '  a 9007199254740995 self 9007199254740995',
      '  b 9007199254740993 self 9007199254740993',
    ])
    expect(tree.totalExact?.[1]).toBe(9007199254740995n)
    expect(overflows(tree)).toBe(false)
  })

  test('are exact from 2^53 on', () => {
    for (const value of [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n]) {
      const tree = callTree(profileOf(`${value}\na`).profiles, 0)
      expect([exactTotal(tree, 0), tree.sum]).toEqual([value, value])
    }
  })

  test('are exact up to the limits of int64, and beyond them in the exact column', () => {
    const { profiles } = profileOf(`
      9223372036854775807  9223372036854775807  -9223372036854775808
      main                 main                 low
      a                    b                    `)
    const tree = callTree(profiles, 0)
    expect(showTree(tree)).toEqual([
      'main 18446744073709551614',
      '  a 9223372036854775807 self 9223372036854775807',
      '  b 9223372036854775807 self 9223372036854775807',
      'low -9223372036854775808 self -9223372036854775808',
    ])
    expect(tree.sum).toBe(9223372036854775806n)
    expect(overflows(tree)).toBe(true)
    expect(tree.totalExact?.[0]).toBe(-2n)
  })

  test('order nodes with equal doubles by their exact values', () => {
    const { profiles } = profileOf(`
      9223372036854775805  9223372036854775806
      a                    b`)
    const tree = callTree(profiles, 0)
    expect(tree.total[0]).toBe(tree.total[1])
    expect(Array.from(tree.frame, i => tree.frames.name[i])).toEqual(['b', 'a'])
  })

  test('do not overflow if only an intermediate sum leaves int64', () => {
    const { profiles } = profileOf(`
      9223372036854775807  9223372036854775807  -9223372036854775807
      a                    a                    a`)
    const tree = callTree(profiles, 0)
    expect(showTree(tree)).toEqual(['a 9223372036854775807 self 9223372036854775807'])
    expect(overflows(tree)).toBe(false)
  })
})

describe('callTree of several profiles', () => {
  const { profiles } = profileOf('1ns\na', '2nanoseconds\na', '4By\na')

  test('sums profiles of one type and unit, however the unit is spelled', () => {
    expect(showTree(callTree(profiles, [0, 1]))).toEqual(['a 3 self 3'])
    expect(showTree(callTree(profiles, 2))).toEqual(['a 4 self 4'])
    expect(callTree(profiles, []).length).toBe(0)
  })

  test('rejects profiles of different units and rows that do not exist', () => {
    expect(() => callTree(profiles, [0, 2])).toThrow('profiles of cpu in ns and cpu in By cannot be added up')
    expect(() => callTree(profiles, 3)).toThrow('profile 3 is not one of the 3 profiles')
    expect(() => callTree(profiles, -1)).toThrow(RangeError)
  })
})

describe('callTree of deep stacks', () => {
  const DEPTH = 70_000

  function deepStack(names: number): Profiles {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'ns' })
    const locations: LocationIndex[] = Array.from({ length: names }, (_, i) =>
      builder.location({ lines: [{ function: builder.function({ name: `f${i}` }) }] }),
    )
    const stack = Array.from({ length: DEPTH }, (_, i) => locations[i % names])
    builder.sample({ stack: builder.stack(stack), values: [1] })
    builder.sample({ stack: builder.stack(stack.slice(1)), values: [1] })
    return builder.build()
  }

  test.each(['root-first', 'leaf-first'] as const)('builds a stack of 70,000 frames, %s', order => {
    const tree = callTree(deepStack(3), 0, { order })
    expect(tree.depth.reduce((a, b) => Math.max(a, b), 0)).toBe(DEPTH - 1)
    expect(tree.total[0]).toBe(order === 'root-first' ? 2 : 1)
    expect(tree.self.reduce((a, b) => a + b, 0)).toBe(2)
  })
})

test('exactSelf and exactTotal equal the double columns below 2^53', () => {
  const tree = callTree(example, 0)
  expect(Array.from(tree.total, (_, i) => exactTotal(tree, i))).toEqual([6n, 5n, 3n, 1n])
  expect(Array.from(tree.self, (_, i) => exactSelf(tree, i))).toEqual([0n, 2n, 3n, 1n])
})

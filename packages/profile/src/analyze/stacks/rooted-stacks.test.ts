import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { AnyValue } from '../../model/columns/any-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { NONE } from '../../model/columns/brand.ts'
import { validate } from '../../model/validate/validate.ts'
import { callTree, sumStacks } from '../profile-tree.ts'
import { isFunction } from '../tree/frame-table.ts'
import type { CallTree } from '../tree/call-tree.ts'
import { diffTree, topDiff } from '../diff.ts'
import { exactSelf, exactTotal } from '../tree/exact-values.ts'
import { sandwich } from '../sandwich.ts'
import { arbitraryProfile } from '../testing/arbitrary-profile.ts'
import { showDiffTree, showTop, showTopDiff, showTree } from '../testing/show.ts'
import { topTable } from '../top.ts'
import { withRootFrames } from './with-root-frames.ts'

interface Sample {
  readonly stack: string
  readonly value: bigint | number
  readonly attributes?: Readonly<Record<string, AnyValue>>
}

/** A profile whose resource, scope and profile all have attributes. */
function profileOf(samples: readonly Sample[], own: Readonly<Record<string, AnyValue>> = {}): Profiles {
  const builder = new ProfilesBuilder()
  const keyValues = (of: Readonly<Record<string, AnyValue>>) =>
    Object.entries(of).map(([key, value]) => ({ key, value }))
  const rows = (of: Readonly<Record<string, AnyValue>>) =>
    Object.entries(of).map(([key, value]) => builder.attribute(key, value))
  builder.resource({ attributes: keyValues({ 'host.name': 'h1', region: 'of the resource' }) })
  builder.scope({ name: 'sampler', attributes: keyValues({ region: 'of the scope' }) })
  builder.profile({ type: 'cpu', unit: 'ns', attributes: rows(own) })
  for (const { stack, value, attributes = {} } of samples) {
    const locations = stack
      .split(' ')
      .filter(name => name !== '')
      .map(name => builder.location({ lines: [{ function: builder.function({ name }) }] }))
    builder.sample({ stack: builder.stack(locations.reverse()), values: [value], attributes: rows(attributes) })
  }
  return builder.build()
}

const example = profileOf([
  { stack: 'main run', value: 3, attributes: { 'thread.name': 'a', 'thread.id': 1n } },
  { stack: 'main run', value: 5, attributes: { 'thread.name': 'b', 'thread.id': 2n } },
  { stack: 'main', value: 2 },
  { stack: '', value: 1, attributes: { 'thread.name': 'a' } },
])

describe('root frames', () => {
  test('split equal stacks by attribute value', () => {
    const tree = callTree(example, 0, { roots: ['thread.name'] })
    expect(showTree(tree)).toEqual([
      'b 5',
      '  main 5',
      '    run 5 self 5',
      'a 4',
      '  main 3',
      '    run 3 self 3',
      '  [unknown] 1 self 1',
      '(no thread.name) 2',
      '  main 2 self 2',
    ])
    expect(tree.sum).toBe(11n)
    const kinds = Array.from(tree.frame, i => tree.frames.attribute?.[i] || undefined)
    expect(kinds).toEqual([
      'thread.name',
      undefined,
      undefined,
      'thread.name',
      ...kinds.slice(4, 7),
      'thread.name',
      undefined,
    ])
    expect(kinds.slice(4, 7)).toEqual([undefined, undefined, undefined])
  })

  test('are the leaves of a leaf-first tree', () => {
    expect(showTree(callTree(example, 0, { roots: ['thread.name'], order: 'leaf-first' }))).toEqual([
      'run 8',
      '  main 8',
      '    b 5 self 5',
      '    a 3 self 3',
      'main 2',
      '  (no thread.name) 2 self 2',
      '[unknown] 1',
      '  a 1 self 1',
    ])
  })

  test('nest the values of several attributes', () => {
    expect(showTree(callTree(example, 0, { roots: ['host.name', 'thread.id'] })).slice(0, 5)).toEqual([
      'h1 11',
      '  2 5',
      '    main 5',
      '      run 5 self 5',
      '  1 3',
    ])
  })

  test('use the nearest level, or the requested one', () => {
    const rootsOf = (key: string, attributes: Readonly<Record<string, AnyValue>>, own = {}): string =>
      showTree(callTree(profileOf([{ stack: 'f', value: 1, attributes }], own), 0, { roots: [key] }))[0]
    expect(rootsOf('region', { region: 'mine' }, { region: 'of the profile' })).toBe('mine 1')
    expect(rootsOf('region', {}, { region: 'of the profile' })).toBe('of the profile 1')
    expect(rootsOf('region', {})).toBe('of the scope 1')
    expect(rootsOf('resource:region', { region: 'mine' })).toBe('of the resource 1')
    expect(rootsOf('sample:region', {}, { region: 'of the profile' })).toBe('(no sample:region) 1')
    expect(rootsOf('profile:region', { region: 'mine' }, { region: 'of the profile' })).toBe('of the profile 1')
    expect(rootsOf('scope.name', {})).toBe('sampler 1')
    expect(rootsOf('region', { region: '' })).toBe('of the scope 1')
    expect(rootsOf('list', { list: [1n, 'x', true] })).toBe('[1, x, true] 1')
  })

  test('are rows of a top table, but sandwich does not find them as functions', () => {
    expect(showTop(topTable(example, 0, { roots: ['thread.name'] }))).toEqual([
      'run 8 8',
      'main 2 10',
      '[unknown] 1 1',
      'b 0 5',
      'a 0 4',
      '(no thread.name) 0 2',
    ])
    expect(sandwich(example, 0, 'a', { roots: ['thread.name'] })).toBeUndefined()
    const around = sandwich(example, 0, 'run', { roots: ['thread.name'] })!
    expect(showTree(around.callers)).toEqual(['run 8', '  main 8', '    b 5 self 5', '    a 3 self 3'])
    expect(showTree(around.callees)).toEqual(['run 8 self 8'])
  })

  test('are matched by text on both sides of a diff', () => {
    const after = profileOf([
      { stack: 'start', value: 1, attributes: { 'thread.name': 'c' } },
      { stack: 'main run', value: 4, attributes: { 'thread.name': 'a' } },
    ])
    const sides = [
      { profiles: example, selection: 0 },
      { profiles: after, selection: 0 },
    ] as const
    expect(showDiffTree(diffTree(...sides, { roots: ['thread.name'] }))).toEqual([
      'b 5 -> 0 (-5) vanished',
      '  main 5 -> 0 (-5) vanished',
      '    run 5 -> 0 (-5) vanished',
      'a 4 -> 4 (0)',
      '  main 3 -> 4 (+1)',
      '    run 3 -> 4 (+1)',
      '  [unknown] 1 -> 0 (-1) vanished',
      '(no thread.name) 2 -> 0 (-2) vanished',
      '  main 2 -> 0 (-2) vanished',
      'c 0 -> 1 (+1) new',
      '  start 0 -> 1 (+1) new',
    ])
    expect(showTopDiff(topDiff(...sides, { roots: ['thread.name'] }))).toContain('a 0 -> 0, 4 -> 4')
  })

  test('work with a frame table that was made for other root frames', () => {
    const { frames } = sumStacks(example, 0, { roots: ['thread.name'] })
    expect(showTree(callTree(example, 0, { frames, roots: ['host.name'] }))[0]).toBe('h1 11')
    expect(showTree(callTree(example, 0, { frames }))).toEqual(showTree(callTree(example, 0)))
  })
})

/** The sums by path, `a/b/c`. */
function sumsOf(tree: CallTree): Map<string, { self: bigint; total: bigint }> {
  const paths: string[] = []
  const sums = new Map<string, { self: bigint; total: bigint }>()
  for (let i = 0; i < tree.length; i++) {
    const isRoot = !isFunction(tree.frames, tree.frame[i])
    const above = tree.parent[i] === NONE ? '' : paths[tree.parent[i]]
    paths.push(isRoot ? above : `${above}/${tree.frames.name[tree.frame[i]]}`)
    const sum = sums.get(paths[i]) ?? { self: 0n, total: 0n }
    // In both orders, the self value of a root frame belongs to the function next to it.
    sum.self += exactSelf(tree, i)
    if (!isRoot) sum.total += exactTotal(tree, i)
    sums.set(paths[i], sum)
  }
  sums.delete('')
  return sums
}

describe('root frames of random profiles', () => {
  const thread = { roots: ['thread.name'] }

  test.each(['root-first', 'leaf-first'] as const)('%s, equal the plain tree when they are removed', order => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles }) => {
        const rooted = callTree(profiles, 0, { ...thread, order })
        const plain = callTree(profiles, 0, { order })
        expect(rooted.sum).toBe(plain.sum)
        expect(sumsOf(rooted)).toEqual(sumsOf(plain))
      }),
    )
  })

  test('have the total of their samples', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles, samples }) => {
        const tree = callTree(profiles, 0, thread)
        const expected = new Map<string, bigint>()
        for (const { thread: name, value } of samples) {
          const root = name === '' ? '(no thread.name)' : name
          expected.set(root, (expected.get(root) ?? 0n) + value)
        }
        const found = new Map<string, bigint>()
        for (let i = 0; i < tree.length; i++) {
          if (tree.parent[i] === NONE) found.set(tree.frames.name[tree.frame[i]], exactTotal(tree, i))
        }
        expect(found).toEqual(expected)
      }),
    )
  })

  test('give the same tree when withRootFrames writes them into the stacks', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles }) => {
        const written = withRootFrames(profiles, ['thread.name'])
        // The problems of a random profile stay the same.
        const broken = (of: Profiles): string[] =>
          validate(of)
            .filter(({ level }) => level === 'must')
            .map(({ rule }) => rule)
        expect(broken(written)).toEqual(broken(profiles))
        // Stacks without locations get one, so they are not unknown any more.
        const known = showTree(callTree(profiles, 0, thread)).filter(line => !line.includes('[unknown]'))
        const names = (lines: readonly string[]): string[] => lines.map(line => line.replace(/ self .*/, '')).sort()
        expect(names(showTree(callTree(written, 0)))).toEqual(names(known))
        expect(callTree(written, 0).sum).toBe(callTree(profiles, 0).sum)
      }),
    )
  })
})

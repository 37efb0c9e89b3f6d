import { callTree } from '../profile-tree.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ArbitraryProfile, PlainSample } from '../testing/arbitrary-profile.ts'
import { arbitraryProfile } from '../testing/arbitrary-profile.ts'
import { profileOf } from '../testing/profile-of.ts'
import { expectSums, valuesOf } from '../testing/path-sums.ts'
import { shown, treeOfFolded } from '../testing/tree-of.ts'
import type { Transform } from './transform.ts'
import { applyTransform, applyTransforms, libraryName } from './transform.ts'
import type { CallTree } from '../tree/call-tree.ts'

const example = treeOfFolded(`
  main;f;g;f;h 4
  main;f 1
  main;idle 2
  gc;mark 3`)

function after(transform: Transform): string[] {
  return shown(applyTransform(example, transform))
}

describe('a transform of a function', () => {
  test('focus starts stacks at its first call', () => {
    const tree = applyTransform(example, { kind: 'focus-function', function: { name: 'f' } })
    expect(shown(tree)).toEqual(['f 5 self 1', '  g 4', '    f 4', '      h 4 self 4'])
    expect(tree.sum).toBe(5n)
  })

  test('merge adds its time to its callers', () => {
    expect(after({ kind: 'merge-function', function: { name: 'f' } })).toEqual([
      'main 7 self 1',
      '  g 4',
      '    h 4 self 4',
      '  idle 2 self 2',
      'gc 3',
      '  mark 3 self 3',
    ])
  })

  test('merge of a root keeps its self value in the sum', () => {
    const tree = applyTransform(treeOfFolded('main;f 2\nmain 3'), {
      kind: 'merge-function',
      function: { name: 'main' },
    })
    expect(shown(tree)).toEqual(['f 2 self 2'])
    expect(tree.sum).toBe(5n)
  })

  test('drop removes stacks that contain it', () => {
    const tree = applyTransform(example, { kind: 'drop-function', function: { name: 'f' } })
    expect(shown(tree)).toEqual(['gc 3', '  mark 3 self 3', 'main 2', '  idle 2 self 2'])
    expect(tree.sum).toBe(5n)
  })

  test('collapse adds its callees to its self value', () => {
    expect(after({ kind: 'collapse-function', function: { name: 'f' } })).toEqual([
      'main 7',
      '  f 5 self 5',
      '  idle 2 self 2',
      'gc 3',
      '  mark 3 self 3',
    ])
  })

  test('collapse of recursion joins the first to the last call', () => {
    expect(after({ kind: 'collapse-recursion', function: { name: 'f' } }).slice(0, 3)).toEqual([
      'main 7',
      '  f 5 self 1',
      '    h 4 self 4',
    ])
  })

  test('applies only to the given file', () => {
    const { profiles } = profileOf(`
      1       2
      f[a.c]  f[b.c]
      g       g`)
    const tree = callTree(profiles, 0)
    const drop = (file?: string): CallTree =>
      applyTransform(tree, {
        kind: 'drop-function',
        function: file === undefined ? { name: 'f' } : { name: 'f', file },
      })
    expect(shown(drop('a.c'))).toEqual(['f 2', '  g 2 self 2'])
    expect(shown(drop())).toEqual([])
  })
})

describe('a transform of a node', () => {
  const path = ['main', 'f', 'g', 'f']

  test('changes only that call', () => {
    expect(after({ kind: 'focus-subtree', path })).toEqual(['f 4', '  h 4 self 4'])
    expect(after({ kind: 'merge-node', path }).slice(0, 4)).toEqual([
      'main 7',
      '  f 5 self 1',
      '    g 4',
      '      h 4 self 4',
    ])
    expect(after({ kind: 'drop-subtree', path }).slice(0, 4)).toEqual([
      'gc 3',
      '  mark 3 self 3',
      'main 3',
      '  idle 2 self 2',
    ])
  })

  test('gives an empty tree for focus, and no change for merge and drop, if the node does not exist', () => {
    const gone = ['main', 'nobody']
    expect(after({ kind: 'focus-subtree', path: gone })).toEqual([])
    expect(after({ kind: 'merge-node', path: gone })).toEqual(shown(example))
    expect(after({ kind: 'drop-subtree', path: gone })).toEqual(shown(example))
  })
})

describe('a transform of a library', () => {
  const { profiles } = profileOf(`
    3               2               1
    main(app)       main(app)       main(app)
    read(libc.so)   read(libc.so)   run(app)
    copy(libc.so)   call(app)       `)
  const tree = callTree(profiles, 0)

  test('collapse joins neighbouring frames of it', () => {
    expect(shown(applyTransform(tree, { kind: 'collapse-library', mapping: 'libc.so' }))).toEqual([
      'main 6',
      '  [libc.so] 5 self 3',
      '    call 2 self 2',
      '  run 1 self 1',
    ])
  })

  test('merge and drop apply to all its frames', () => {
    expect(shown(applyTransform(tree, { kind: 'merge-library', mapping: 'libc.so' }))).toEqual([
      'main 6 self 3',
      '  call 2 self 2',
      '  run 1 self 1',
    ])
    expect(shown(applyTransform(tree, { kind: 'drop-library', mapping: 'libc.so' }))).toEqual([
      'main 1',
      '  run 1 self 1',
    ])
  })

  test('uses the name of the mapping file', () => {
    expect(['/usr/lib/libc.so.6', 'C:\\app\\a.dll', '[vdso]', ''].map(libraryName)).toEqual([
      '[libc.so.6]',
      '[a.dll]',
      '[vdso]',
      '[unknown]',
    ])
  })
})

test('applyTransforms applies transforms in order', () => {
  const merge: Transform = { kind: 'merge-function', function: { name: 'g' } }
  const tree = applyTransforms(example, [merge, { kind: 'collapse-all-direct-recursion' }])
  expect(shown(tree).slice(0, 3)).toEqual(['main 7', '  f 5 self 1', '    h 4 self 4'])
})

test('applyTransform keeps hidden values at the node above them', () => {
  const whole = treeOfFolded('main;run;a 5\nmain;run;b 3\nmain 1')
  const end = Uint32Array.from([3, 3, 3])
  const cut: CallTree = { ...whole, length: 3, parent: whole.parent.slice(0, 3), end, hiddenNodes: 1 }
  const tree = applyTransform(
    {
      ...cut,
      depth: cut.depth.slice(0, 3),
      frame: cut.frame.slice(0, 3),
      self: cut.self.slice(0, 3),
      total: cut.total.slice(0, 3),
    },
    { kind: 'merge-function', function: { name: 'run' } },
  )
  expect(shown(tree)).toEqual(['main 9 self 1', '  a 5 self 5'])
  expect(tree.sum).toBe(9n)
})

/** A naive transform of one stack; undefined drops the stack. */
type OnStack = (path: readonly string[]) => readonly string[] | undefined

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, i) => path[i] === name)
}

const rules: readonly (readonly [Transform, OnStack])[] = [
  [{ kind: 'focus-function', function: { name: 'a' } }, p => (p.includes('a') ? p.slice(p.indexOf('a')) : undefined)],
  [{ kind: 'merge-function', function: { name: 'a' } }, p => p.filter(name => name !== 'a')],
  [{ kind: 'drop-function', function: { name: 'a' } }, p => (p.includes('a') ? undefined : p)],
  [{ kind: 'collapse-function', function: { name: 'a' } }, p => (p.includes('a') ? p.slice(0, p.indexOf('a') + 1) : p)],
  [
    { kind: 'collapse-recursion', function: { name: 'a' } },
    p => (p.includes('a') ? [...p.slice(0, p.indexOf('a')), ...p.slice(p.lastIndexOf('a'))] : p),
  ],
  [
    { kind: 'collapse-direct-recursion', function: { name: 'a' } },
    p => p.filter((name, i) => name !== 'a' || p[i - 1] !== 'a'),
  ],
  [{ kind: 'collapse-all-direct-recursion' }, p => p.filter((name, i) => name !== p[i - 1])],
  [
    { kind: 'collapse-all-recursion' },
    p => {
      const path: string[] = []
      for (const name of p) {
        if (path.includes(name)) path.length = path.indexOf(name) + 1
        else path.push(name)
      }
      return path
    },
  ],
  [{ kind: 'focus-subtree', path: ['a', 'b'] }, p => (startsWith(p, ['a', 'b']) ? p.slice(1) : undefined)],
  [{ kind: 'merge-node', path: ['a', 'b'] }, p => (startsWith(p, ['a', 'b']) ? ['a', ...p.slice(2)] : p)],
  [{ kind: 'drop-subtree', path: ['a'] }, p => (startsWith(p, ['a']) ? undefined : p)],
]

describe('a transformed tree of a random profile has the sums of the transformed stacks', () => {
  const treeOf = ({ profiles }: ArbitraryProfile): CallTree => callTree(profiles, 0)
  const rewritten = (samples: readonly PlainSample[], rule: OnStack) =>
    valuesOf(samples).flatMap(({ path, value }) => {
      const next = rule(path)
      return next === undefined ? [] : [{ path: next, value }]
    })

  test.each(rules)('%o', (transform, rule) => {
    fc.assert(
      fc.property(arbitraryProfile, profile => {
        expectSums(applyTransform(treeOf(profile), transform), rewritten(profile.samples, rule))
      }),
    )
  })

  test('after two transforms', () => {
    fc.assert(
      fc.property(arbitraryProfile, fc.constantFrom(...rules), fc.constantFrom(...rules), (profile, first, second) => {
        const tree = applyTransforms(treeOf(profile), [first[0], second[0]])
        const both: OnStack = path => {
          const once = first[1](path)
          return once === undefined ? undefined : second[1](once)
        }
        expectSums(tree, rewritten(profile.samples, both))
      }),
    )
  })
})

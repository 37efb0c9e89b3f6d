import type { CallTree, DiffTree, FrameTable, Profiles, TopTable, TreeOrder } from '@hearth/profile'
import {
  callTree,
  concat,
  diffTree,
  differences,
  exactSelf,
  exactTotal,
  isFunction,
  overflows,
  sandwich,
  topTable,
} from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlainProfile } from '../testing/plain-profiles.ts'
import { START, plainProfile, profilesOf } from '../testing/plain-profiles.ts'
import type { QueryStore } from '../testing/query-store.ts'
import { faultOf, linesOf, openQueryStore } from '../testing/query-store.ts'
import * as run from '../testing/queries.ts'

let at: QueryStore
let profiles: readonly PlainProfile[]
let stored: Profiles
let rows: readonly number[]
beforeAll(async () => {
  at = await openQueryStore()
  const [random] = fc.sample(fc.array(plainProfile, { minLength: 30, maxLength: 30 }), { seed: 7, numRuns: 1 })
  // The store keeps only the sum of a sample's values; see oneProfile.
  profiles = random.map(profile => ({
    ...profile,
    samples: profile.samples.filter(({ values }) => values.length < 2 || values.reduce((a, b) => a + b) !== 0n),
  }))
  stored = profilesOf(profiles)
  rows = profiles.map((_, i) => i)
  await at.keep('random', profiles)
})
afterAll(async () => {
  await at.close()
})

const SECOND = 1_000_000_000n
const ALL = { tenant: 'random', from: START, to: START + 60n * SECOND }

const labelOf = (frames: FrameTable, i: number): string =>
  isFunction(frames, i) ? `${frames.name[i]} ${frames.file[i]}` : `[${frames.attribute?.[i]}] ${frames.name[i]}`

function linesOfTree(tree: CallTree): string[] {
  return linesOf({
    ...tree,
    label: i => labelOf(tree.frames, tree.frame[i]),
    self: i => exactSelf(tree, i),
    total: i => exactTotal(tree, i),
  })
}

test.each([
  [['region'], 'root-first'],
  [['thread.id'], 'leaf-first'],
  [['service.name', 'sample:region'], 'root-first'],
  [['resource:region', 'scope.name', 'ratio'], 'root-first'],
  [['profile:debug'], 'root-first'],
  [['never.seen'], 'root-first'],
] as readonly (readonly [string[], TreeOrder])[])(
  'flame graphs rooted by %j, %s, equal those in memory',
  async (roots, order) => {
    const tree = await run.flameGraph(at.queries, ALL, { roots, order })
    const expected = callTree(stored, rows, { roots, order })
    expect(linesOfTree(tree)).toEqual(linesOfTree(expected))
    expect([tree.sum, tree.overflow]).toEqual([expected.sum, overflows(expected)])
  },
)

test('the node limit keeps the largest nodes, root frames included', async () => {
  const whole = await run.flameGraph(at.queries, ALL, { roots: ['region'] })
  const few = await run.flameGraph(at.queries, ALL, { roots: ['region'], maxNodes: 5 })
  expect([few.length, few.hidden.nodes]).toEqual([5, whole.length - 5])
  expect(few.frames.attribute?.[few.frame[0]]).toBe('region')
})

test('top, sandwich and diff have root frames', async () => {
  const roots = ['region']
  const top = await run.top(at.queries, ALL, { roots })
  const expected = topTable(stored, rows, { roots })
  const rowsOf = (table: TopTable): unknown[] =>
    Array.from(table.frame, (frame, i) => [labelOf(table.frames, frame), exactSelf(table, i), exactTotal(table, i)])
  expect(rowsOf(top)).toEqual(rowsOf(expected))

  const around = await run.sandwich(at.queries, ALL, { name: 'gc' }, { roots })
  const cut = sandwich(stored, rows, { name: 'gc', file: around.frame.file! }, { roots })!
  const names = (tree: CallTree): string[] => Array.from(tree.frame, i => tree.frames.name[i])
  expect([names(around.callers), names(around.callees)]).toEqual([names(cut.callers), names(cut.callees)])
  expect(await faultOf(run.sandwich(at.queries, ALL, { name: 'eu-1' }, { roots }))).toBe('not-found')

  const middle = START + 30n * SECOND
  const { tree: diff } = await run.diff(at.queries, { ...ALL, to: middle }, { ...ALL, from: middle }, { roots })
  const sideOf = (isAfter: boolean): readonly number[] => rows.filter(i => profiles[i].time >= middle === isAfter)
  const inMemory = diffTree(
    { profiles: stored, selection: sideOf(false) },
    { profiles: stored, selection: sideOf(true) },
    { roots },
  )
  const rootsOf = (tree: DiffTree): unknown[] => {
    const delta = differences(tree.before, tree)
    return Array.from(tree.frame, (frame, i) => i)
      .filter(i => tree.depth[i] === 0)
      .map(i => [tree.frames.name[tree.frame[i]], exactTotal(delta, i), tree.presence[i]])
  }
  expect(rootsOf(diff)).toEqual(rootsOf(inMemory))
})

test('exact ranges and spans have root frames', async () => {
  const thread = (name: string) => ({ 'thread.name': name })
  const link = ['01'.repeat(16), 'aa'.repeat(8)] as const
  const frames = [{ name: 'work' }]
  const tenant = await at.keepApart([
    {
      type: 'allocated',
      unit: 'By',
      attributes: { kind: 'of the profile' },
      samples: [
        { frames, values: [3n, 4n], timestamps: [START, START + SECOND], attributes: thread('a'), link },
        { frames, values: [5n], timestamps: [START], attributes: thread('b') },
      ],
    },
  ])
  const base = { ...ALL, tenant }
  const lines = async (query: typeof base, key: string): Promise<string[]> =>
    linesOfTree(await run.flameGraph(at.queries, query, { roots: [key] }))
  const first = { ...base, exact: true, to: START + 1n }
  expect(await lines(first, 'thread.name')).toEqual([
    '[thread.name] b 0/5',
    '  work  5/5',
    '[thread.name] a 0/3',
    '  work  3/3',
  ])
  expect((await lines(first, 'kind'))[0]).toBe('[kind] of the profile 0/8')
  const ofSpan = { ...base, span: { traceId: link[0], spanId: link[1] } }
  expect(await lines(ofSpan, 'thread.name')).toEqual(['[thread.name] a 0/7', '  work  7/7'])
  expect((await lines({ ...first, ...ofSpan, exact: true, to: first.to } as typeof base, 'kind'))[0]).toBe(
    '[kind] of the profile 0/3',
  )
})

test('an export has root frames as functions in the stacks', async () => {
  const sets: Profiles[] = []
  for await (const set of run.exportProfiles(at.queries, ALL, { roots: ['resource:service.name'] })) sets.push(set)
  const all = concat(sets)
  const tree = callTree(
    all,
    Array.from({ length: all.profiles.length }, (_, i) => i),
  )
  const expected = callTree(stored, rows, { roots: ['resource:service.name'] })
  const atRoot = (of: CallTree): string[] =>
    Array.from(of.frame)
      .filter((_, i) => of.depth[i] === 0)
      .map(frame => of.frames.name[frame])
  expect(atRoot(tree)).toEqual(atRoot(expected))
  expect(tree.sum).toBe(expected.sum)
})

test('built-in keys and too many attributes are rejected', async () => {
  expect(await faultOf(run.flameGraph(at.queries, ALL, { roots: ['trace.id'] }))).toBe('argument')
  expect(await faultOf(run.flameGraph(at.queries, ALL, { roots: Array.from({ length: 9 }, (_, i) => `k${i}`) }))).toBe(
    'argument',
  )
})

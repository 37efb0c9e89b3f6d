import { callTree, exactSelf, exactTotal } from '@hearth/profile'
import type { CallTree, GroupBy, TreeOrder } from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseSelector } from './selector/parse-selector.ts'

import { matchingSamples } from './testing/fits.ts'
import type { PlainProfile, PlainSample } from './testing/plain-profiles.ts'
import { START, oneProfile, plainProfile } from './testing/plain-profiles.ts'
import type { QueryStore } from './testing/query-store.ts'
import { linesOf, openQueryStore } from './testing/query-store.ts'
import { createQueryContext } from './query-context.ts'
import * as run from './testing/queries.ts'

let at: QueryStore
beforeAll(async () => {
  at = await openQueryStore()
})
afterAll(async () => {
  await at.close()
})

const SECOND = 1_000_000_000n
const WHOLE = { from: START, to: START + 60n * SECOND }
let tenants = 0
const newTenant = () => `tenant ${++tenants}`

interface Choice {
  readonly by: GroupBy
  readonly inlined: boolean
  readonly order: TreeOrder
}

function expectedTree(samples: readonly PlainSample[], choice: Choice): string[] {
  return shownTree(callTree(oneProfile(samples), 0, choice))
}

function shownTree(tree: CallTree): string[] {
  const label = (i: number) => {
    const f = tree.frame[i]
    return [tree.frames.name[f], tree.frames.file[f], tree.frames.line[f]].join('|')
  }
  return linesOf({ ...tree, label, self: i => exactSelf(tree, i), total: i => exactTotal(tree, i) })
}

const SELECTORS = [
  '',
  'cpu',
  'cpu:ns',
  'wall',
  '{service.name="checkout"}',
  '{service.name=~"c.*t"}',
  '{service.name!="cart"}',
  '{service.name}',
  '{!service.name}',
  '{region=~"eu.*"}',
  '{region=~".*1"}',
  '{region!~"eu.*"}',
  '{resource:region="eu-1"}',
  '{scope:region="eu-1"}',
  '{profile:region="eu-1"}',
  '{sample:region="eu-1"}',
  '{sample:region!="eu-1"}',
  '{profile:region!="eu-1"}',
  '{thread.id=1}',
  '{thread.id="1"}',
  '{thread.id=~"[12]"}',
  '{thread.id=9007199254740993}',
  '{thread.id>9007199254740992}',
  '{thread.id>9007199254740992.0}',
  '{thread.id!=1}',
  '{ratio>=0.5, ratio<2}',
  '{ratio=500}',
  '{ratio<=2.0}',
  '{debug=true}',
  '{debug="true"}',
  '{debug!=false}',
  '{!debug}',
  '{sample:!debug}',
  '{scope.name="agent"}',
  '{scope.name!="agent", scope.version}',
  '{scope.name=~"a.*|e.*"}',
  '{profile.id="abcd"}',
  '{profile.id="abcd", sample:region}',
  '{trace.id="01010101010101010101010101010101"}',
  '{trace.id="01010101010101010101010101010101", span.id="aaaaaaaaaaaaaaaa", region=~"eu.*"}',
  '{trace.id, profile:region!="eu-1"}',
  '{span.id="bbbbbbbbbbbbbbbb", profile.id="abcd"}',
  '{} | frame "gc"',
  '{} | !frame "gc"',
  '{} | from "main" | leaf =~"gc|idle"',
  '{} | frame file=~".*\\\\.go"',
  '{} | !leaf file="a.go"',
  '{} | frame mapping="app"',
  '{} | leaf type="kernel"',
  '{} | from mapping=~"lib.*"',
  '{region="eu-1", thread.id} | frame =~".*a.*" | !frame type="native"',
].map(text => text.replace('{sample:!debug}', '{!sample:debug}'))

const choice: fc.Arbitrary<Choice> = fc.record({
  by: fc.constantFrom<GroupBy>('function', 'line', 'address', 'file', 'mapping', 'frame-type'),
  inlined: fc.boolean(),
  order: fc.constantFrom<TreeOrder>('root-first', 'leaf-first'),
})

/** Samples of a span are found by their own timestamps, which differ from their profile's times in random profiles. */
function inRange(profiles: readonly PlainProfile[], bySpan: boolean): readonly PlainProfile[] {
  return bySpan ? profiles : profiles.filter(({ time }) => time >= WHOLE.from && time < WHOLE.to)
}

async function checkFlameGraph(
  tenant: string,
  profiles: readonly PlainProfile[],
  text: string,
  how: Choice,
): Promise<void> {
  const bySpan = /trace\.id|span\.id/.test(text)
  const range = bySpan ? { from: 0n, to: 2n ** 63n } : WHOLE
  const expected = matchingSamples(inRange(profiles, bySpan), parseSelector(text), { from: 0n, to: 2n ** 63n })
  const tree = await run.flameGraph(at.queries, { tenant, ...range, selector: text }, how)
  if (tree.clamped) return expect(bySpan).toBe(true)
  expect([text, ...shownTree(tree)]).toEqual([text, ...expectedTree(expected, how)])
}

describe('flameGraph', () => {
  test('equals the tree in memory for every selector', async () => {
    const [profiles] = fc.sample(fc.array(plainProfile, { minLength: 40, maxLength: 40 }), { seed: 7, numRuns: 1 })
    const tenant = newTenant()
    await at.keep(tenant, profiles)
    for (const text of SELECTORS) {
      await checkFlameGraph(tenant, profiles, text, { by: 'function', inlined: true, order: 'root-first' })
    }
  })

  test('equals the tree in memory for random profiles in every grouping and order', async () => {
    const some = fc.subarray(SELECTORS, { minLength: 3, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(plainProfile, { minLength: 1, maxLength: 10 }),
        some,
        choice,
        async (profiles, texts, how) => {
          const tenant = newTenant()
          await at.keep(tenant, profiles)
          // Equal profiles of another tenant must not be found.
          await at.keep(`other than ${tenant}`, profiles)
          for (const text of ['', ...texts]) await checkFlameGraph(tenant, profiles, text, how)
        },
      ),
      // Shrinking writes and queries again for every step.
      { endOnFailure: true },
    )
  })

  test('adds later profiles to the resident stacks in every grouping', async () => {
    const [first, later] = fc.sample(fc.array(plainProfile, { minLength: 6, maxLength: 6 }), { seed: 3, numRuns: 2 })
    // Names that only the later profiles have, so that new frames sort between and after the old ones.
    const renamed = later.map(profile => ({
      ...profile,
      samples: profile.samples.map(sample => ({
        ...sample,
        frames: sample.frames.map((frame, i) => (i % 2 === 0 ? frame : { ...frame, name: `later.${frame.name}` })),
      })),
    }))
    const tenant = newTenant()
    const groupings = (['function', 'line', 'address', 'file', 'mapping', 'frame-type'] as const).map(by => ({
      by,
      inlined: true,
    }))
    await at.keep(tenant, first)
    for (const grouping of groupings) await checkFlameGraph(tenant, first, '', { ...grouping, order: 'root-first' })
    await at.keep(tenant, renamed)
    for (const grouping of groupings) {
      await checkFlameGraph(tenant, [...first, ...renamed], '', { ...grouping, order: 'root-first' })
    }
    await checkFlameGraph(tenant, [...first, ...renamed], '', { by: 'function', inlined: false, order: 'leaf-first' })
  })

  test('runs concurrent queries, and works without resident memory', async () => {
    const [profiles] = fc.sample(fc.array(plainProfile, { minLength: 12, maxLength: 12 }), { seed: 9, numRuns: 1 })
    const tenant = newTenant()
    await at.keep(tenant, profiles)
    for (const residentBytes of [1, 2 ** 30]) {
      const queries = createQueryContext(at.store.engine, { residentBytes })
      const texts = ['', '{region}', '{!region}', '{} | frame "gc"', '', '{service.name="cart"}']
      const trees = await Promise.all(texts.map(selector => run.flameGraph(queries, { tenant, ...WHOLE, selector })))
      const how = { by: 'function', inlined: true, order: 'root-first' } as const
      for (const [i, text] of texts.entries()) {
        expect(shownTree(trees[i])).toEqual(expectedTree(matchingSamples(profiles, parseSelector(text), WHOLE), how))
      }
    }
  })

  test("applies the query's limits to the engine", async () => {
    const tenant = newTenant()
    const [profiles] = fc.sample(fc.array(plainProfile, { minLength: 3, maxLength: 3 }), { seed: 1, numRuns: 1 })
    await at.keep(tenant, profiles)
    const pending = run.flameGraph(at.queries, { tenant, ...WHOLE, limits: { maxMemoryBytes: 1 } })
    await expect(pending).rejects.toMatchObject({ fault: 'limit' })
    expect(
      (await run.flameGraph(at.queries, { tenant, ...WHOLE, limits: { maxSeconds: 30, maxMemoryBytes: 2 ** 30 } }))
        .type,
    ).toBe('cpu')
  })
})

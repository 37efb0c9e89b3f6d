import type { CallTree, Profiles, TreeOrder, ValueColumns } from '@hearth/profile'
import {
  callTree,
  difference,
  differences,
  exactSelf,
  exactTotal,
  overflows,
  topTable,
  writeProfile,
} from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GroupRows } from '../store/group-rows.ts'
import { RECEIVED, newContext } from '../store/profiles/testing/profile-store.ts'
import { spans } from '../store/schema/signal-tables.ts'
import { hiddenBelow } from './testing/hidden-below.ts'
import type { QueryError } from './query-error.ts'
import { parseSelector } from './selector/parse-selector.ts'
import { matchingSamples } from './testing/fits.ts'
import type { PlainFrame, PlainProfile, PlainSample } from './testing/plain-profiles.ts'
import { START, oneProfile, plainProfile, profilesOf } from './testing/plain-profiles.ts'
import type { QueryStore } from './testing/query-store.ts'
import { faultOf, linesOf, openQueryStore } from './testing/query-store.ts'
import * as run from './testing/queries.ts'

let at: QueryStore
let profiles: readonly PlainProfile[]
beforeAll(async () => {
  at = await openQueryStore()
  ;[profiles] = fc.sample(fc.array(plainProfile, { minLength: 30, maxLength: 30 }), { seed: 11, numRuns: 1 })
  await at.keep('random', profiles)
})
afterAll(async () => {
  await at.close()
})

const SECOND = 1_000_000_000n
const WHOLE = { from: START, to: START + 60n * SECOND }
const ALL = { tenant: 'random', ...WHOLE }
const selected = (text: string, list = profiles) => matchingSamples(list, parseSelector(text), WHOLE)
const sumOf = ({ values, timestamps = [] }: PlainSample) =>
  values.length === 0 ? BigInt(timestamps.length) : values.reduce((a, b) => a + b, 0n)
const totalOf = (samples: readonly PlainSample[]) => samples.reduce((sum, sample) => sum + sumOf(sample), 0n)

const kept = (list: readonly Partial<PlainProfile>[]): Promise<string> => at.keepApart(list)
const stackOf = (...names: string[]) => ({ frames: names.map(name => ({ name })) })

describe('top, sandwich and diff', () => {
  test.each(['', '{service.name="checkout"}', '{sample:region}'])(
    'top by %s equals the table in memory',
    async text => {
      for (const by of ['function', 'line', 'file'] as const) {
        const expected = topTable(oneProfile(selected(text)), 0, { by })
        const top = await run.top(at.queries, { ...ALL, selector: text }, { by })
        const rows = Array.from({ length: top.length }, (_, i) => {
          return [top.frames.name[i], top.frames.file[i], exactSelf(top, i), exactTotal(top, i)]
        })
        expect(rows).toEqual(
          Array.from({ length: expected.length }, (_, i) => {
            const frame = expected.frame[i]
            return [
              expected.frames.name[frame],
              expected.frames.file[frame],
              exactSelf(expected, i),
              exactTotal(expected, i),
            ]
          }),
        )
        expect(top.sum).toBe(expected.sum)
        expect(top.overflow).toBe(overflows(expected))
      }
    },
  )

  test('top reports the number of rows if it returns only some', async () => {
    const whole = await run.top(at.queries, ALL)
    const top = await run.top(at.queries, ALL, { maxFrames: 3, sort: 'total' })
    expect([top.length, top.allFrames]).toEqual([3, whole.length])
    const totals = Array.from({ length: whole.length }, (_, i) => exactTotal(whole, i)).sort((a, b) => Number(b - a))
    expect(Array.from({ length: 3 }, (_, i) => Number(exactTotal(top, i)))).toEqual(totals.slice(0, 3).map(Number))
  })

  test('sandwich has callers and callees of a function', async () => {
    for (const name of ['gc', 'main']) {
      const found = await run.sandwich(at.queries, ALL, { name })
      const { file } = found.frame
      const isIt = (frame: PlainFrame) => frame.name === name && (frame.file ?? '') === file
      const holding = selected('').filter(sample => sample.frames.some(isIt))
      const callees = holding.map(sample => ({ ...sample, frames: sample.frames.slice(sample.frames.findIndex(isIt)) }))
      const callers = holding.map(sample => ({
        ...sample,
        frames: sample.frames.slice(0, sample.frames.findIndex(isIt) + 1),
      }))
      expect(shown(found.callees, found.callees)).toEqual(linesInMemory(callees, 'root-first'))
      expect(shown(found.callers, found.callers)).toEqual(linesInMemory(callers, 'leaf-first'))
      expect(found.total).toBe(totalOf(holding))
      // The frame with the greatest total among the frames with that name.
      const top = await run.top(at.queries, ALL, { maxFrames: 10_000 })
      const totals = top.frames.name.flatMap((each, i) => (each === name ? [top.total[i]] : []))
      expect(Number(found.total)).toBe(Math.max(...totals))
    }
    expect(await faultOf(run.sandwich(at.queries, ALL, { name: 'nothing' }))).toBe('not-found')
  })

  test.each([false, true])('diff equals the trees in memory, normalised: %s', async normalise => {
    const [before, after] = ['{service.name="checkout"}', '{service.name!="checkout"}']
    const found = await run.diff(at.queries, { ...ALL, selector: before }, { ...ALL, selector: after }, { normalise })
    const { tree } = found
    const delta = differences(tree.before, tree)
    const sums = [totalOf(selected(before)), totalOf(selected(after))]
    expect([found.before.sum, found.after.sum]).toEqual(sums)
    expect(tree.scale).toBe(normalise && sums[0] * sums[1] > 0n ? Number(sums[1]) / Number(sums[0]) : 1)
    // Each side has the nodes and values of its own tree, and zeros elsewhere.
    const side = (bit: number, columns: ValueColumns) =>
      pathsOf(tree, columns).filter((_, i) => (tree.presence[i] & bit) !== 0)
    const inMemory = (text: string) => {
      const own = callTree(oneProfile(selected(text)), 0)
      return pathsOf(own, own)
    }
    expect(side(2, tree).sort()).toEqual(inMemory(after).sort())
    for (let i = 0; i < tree.length; i++) {
      expect(tree.presence[i]).toBeGreaterThan(0)
      const { before: was } = tree
      if (tree.presence[i] === 1) expect(exactTotal(tree, i)).toBe(0n)
      if (tree.presence[i] === 2) expect(was.total[i]).toBe(0)
      if (tree.scale === 1) {
        expect(exactTotal(delta, i)).toBe(exactTotal(tree, i) - exactTotal(was, i))
        expect(exactSelf(delta, i)).toBe(exactSelf(tree, i) - exactSelf(was, i))
      }
    }
    if (tree.scale === 1) expect(side(1, tree.before).sort()).toEqual(inMemory(before).sort())
  })
})

/** Each node as its path from the root with its values. */
function pathsOf(tree: CallTree, columns: ValueColumns): string[] {
  const paths: string[] = []
  for (let i = 0; i < tree.length; i++) {
    const frame = tree.frame[i]
    paths.push(
      `${tree.parent[i] < 0 ? '' : `${paths[tree.parent[i]]} > `}${tree.frames.name[frame]} ${tree.frames.file[frame]}`,
    )
  }
  return paths.map((path, i) => `${path} ${exactSelf(columns, i)}/${exactTotal(columns, i)}`)
}

function shown(tree: CallTree, columns: ValueColumns): string[] {
  return linesOf({
    ...tree,
    label: i => `${tree.frames.name[tree.frame[i]]} ${tree.frames.file[tree.frame[i]]}`,
    self: i => exactSelf(columns, i),
    total: i => exactTotal(columns, i),
  })
}

function linesInMemory(samples: readonly PlainSample[], order: TreeOrder): string[] {
  const tree = callTree(oneProfile(samples), 0, { order })
  return shown(tree, tree)
}

describe('the node limit', () => {
  test('keeps the largest nodes and reports how many it hid', async () => {
    const whole = await run.flameGraph(at.queries, ALL)
    for (const maxNodes of [1, 5, 20]) {
      const tree = await run.flameGraph(at.queries, ALL, { maxNodes })
      expect(tree.length).toBe(maxNodes)
      expect(tree.hidden.nodes).toBe(whole.length - maxNodes)
      expect(tree.sum).toBe(whole.sum)
      let self = tree.hidden.self
      for (let i = 0; i < tree.length; i++) self += exactSelf(tree, i)
      expect(self).toBe(whole.sum)
      for (let i = 0; i < tree.length; i++) {
        expect(tree.hiddenChildren![i] > 0 || hiddenBelow(tree, i) === 0n).toBe(true)
        expect(tree.parent[i]).toBeLessThan(i)
      }
    }
  })

  test('must be a positive number', async () => {
    for (const maxNodes of [0, -1, 1.5, 1e9, Number.NaN]) {
      expect(await faultOf(run.flameGraph(at.queries, ALL, { maxNodes }))).toBe('argument')
    }
  })
})

describe('seriesTotals', () => {
  test.each([
    ['', ['service.name']],
    ['{sample:region}', []],
    ['', ['region']],
    ['', ['sample:thread.id', 'scope.name']],
    ['{} | frame "gc"', ['resource:region']],
  ])('groups by %s in steps of %s', async (text, groupBy) => {
    const step = 7n * SECOND
    const response = await run.seriesTotals(at.queries, { ...ALL, selector: text }, { step, groupBy })
    const expected = new Map<string, bigint>()
    for (const profile of profiles) {
      for (const sample of matchingSamples([profile], parseSelector(text), WHOLE)) {
        const labels = groupBy.map(key => labelOf(profile, sample, key))
        const key = JSON.stringify([Number((profile.time - START) / step), ...labels.map(String)])
        expected.set(key, (expected.get(key) ?? 0n) + sumOf(sample))
      }
    }
    const found = new Map<string, bigint>()
    for (const { labels, points } of response.groups) {
      for (const { time, sum } of points) {
        found.set(JSON.stringify([Number((time - START) / step), ...labels.map(String)]), sum)
      }
    }
    const nonZero = (sums: Map<string, bigint>) =>
      [...sums].filter(([, sum]) => sum !== 0n).sort(([a], [b]) => (a < b ? -1 : 1))
    expect(nonZero(found)).toEqual(nonZero(expected))
  })

  function labelOf(profile: PlainProfile, sample: PlainSample, name: string): unknown {
    if (name === 'scope.name') return profile.scope.name === '' ? undefined : profile.scope.name
    const [level, key] = name.includes(':') ? name.split(':') : [undefined, name]
    const levels = {
      sample: sample.attributes ?? {},
      profile: profile.attributes,
      scope: profile.scope.attributes,
      resource: profile.resource,
    }
    const looked = level === undefined ? Object.values(levels) : [levels[level as keyof typeof levels]]
    return looked.find(attributes => key in attributes)?.[key]
  }

  test('aggregates, and returns exemplars', async () => {
    const samples = (value: bigint) => [{ ...stackOf('main'), values: [value] }]
    const tenant = await kept([
      { time: START, samples: samples(10n) },
      { time: START + 1n, samples: samples(30n) },
      { time: START + 5n * SECOND, samples: samples(5n) },
    ])
    const ask = (aggregation: 'sum' | 'rate' | 'average' | 'count') =>
      run.seriesTotals(at.queries, { tenant, ...WHOLE }, { step: 2n * SECOND, aggregation, exemplars: 1 })
    const values = async (aggregation: 'sum' | 'rate' | 'average' | 'count') =>
      (await ask(aggregation)).groups[0].points.map(point => [Number(point.time - START) / 1e9, point.value])
    expect(await values('sum')).toEqual([
      [0, 40],
      [4, 5],
    ])
    expect(await values('rate')).toEqual([
      [0, 20],
      [4, 2.5],
    ])
    expect(await values('average')).toEqual([
      [0, 20],
      [4, 5],
    ])
    expect(await values('count')).toEqual([
      [0, 2],
      [4, 1],
    ])
    const [exemplar] = (await ask('sum')).groups[0].exemplars
    expect(exemplar.sum).toBe(30n)
    const whole = await run.wholeProfile(at.queries, { tenant }, exemplar.profile)
    expect(whole.profiles.time(0)).toBe(START + 1n)
    expect(await faultOf(run.seriesTotals(at.queries, { tenant, ...WHOLE }, { step: 1n }))).toBe('argument')
    expect(await faultOf(run.seriesTotals(at.queries, { tenant, ...WHOLE }, { step: 0n }))).toBe('argument')
    const byTrace = { step: SECOND, groupBy: ['trace.id'] }
    expect(await faultOf(run.seriesTotals(at.queries, { tenant, ...WHOLE }, byTrace))).toBe('argument')
  })
})

describe('sums', () => {
  const one = (value: bigint, more: Partial<PlainProfile> = {}) => ({
    samples: [{ ...stackOf('main'), values: [value] }],
    ...more,
  })

  test('add values of one type and convert units', async () => {
    const tenant = await kept([
      one(1n),
      one(2n, { type: 'wall' }),
      one(3n, { unit: 'ms' }),
      one(7n, { type: 'alloc', unit: 'By' }),
    ])
    const ask = (selector: string) => run.flameGraph(at.queries, { tenant, ...WHOLE, selector })
    expect(await faultOf(ask(''))).toBe('mixed-types')
    expect(await ask('cpu')).toMatchObject({ sum: 3_000_001n, unit: 'ns', type: 'cpu', profiles: 2 })
    expect(await ask('cpu:ms')).toMatchObject({ sum: 3n, unit: 'ms' })
    expect(await ask('wall')).toMatchObject({ sum: 2n })
    const totals = await run.seriesTotals(at.queries, { tenant, ...WHOLE, selector: 'cpu' }, { step: SECOND })
    expect(totals.groups[0].points[0].sum).toBe(3_000_001n)
    const other = await kept([one(1n, { unit: 'ns' }), one(1n, { unit: 'By' })])
    expect(await faultOf(run.flameGraph(at.queries, { tenant: other, ...WHOLE }))).toBe('mixed-units')
    const queryOf = (selector: string) => ({ tenant, ...WHOLE, selector })
    expect(await faultOf(run.diff(at.queries, queryOf('cpu'), queryOf('wall')))).toBe('mixed-types')
    expect(await faultOf(run.diff(at.queries, queryOf('cpu:ns'), queryOf('cpu:ms')))).toBe('mixed-units')
    expect(await faultOf(run.diff(at.queries, queryOf('cpu'), queryOf('wall'), { normalise: true }))).toBe('none')
  })

  test('distinguish cumulative and delta profiles', async () => {
    const of = (temporality: string, seconds: bigint, value: bigint) =>
      one(value, {
        ...(temporality === 'cumulative' ? { duration: seconds * SECOND } : { time: START + seconds * SECOND }),
        attributes: { 'hearth.profile.aggregation_temporality': temporality },
      })
    const tenant = await kept([
      of('cumulative', 0n, 10n),
      of('cumulative', 1n, 15n),
      of('delta', 1n, 5n),
      of('delta', 2n, 6n),
    ])
    const key = 'hearth.profile.aggregation_temporality'
    const ask = (selector: string) => run.flameGraph(at.queries, { tenant, ...WHOLE, selector })
    expect(await faultOf(ask(''))).toBe('mixed-temporality')
    expect(await ask(`{${key}="delta"}`)).toMatchObject({ sum: 11n, temporality: 'delta' })
    expect(await ask(`{${key}="cumulative"}`)).toMatchObject({ sum: 15n, temporality: 'cumulative' })
    const totals = await run.seriesTotals(
      at.queries,
      { tenant, ...WHOLE, selector: `{${key}="cumulative"}` },
      { step: SECOND },
    )
    expect(totals.groups[0].points.map(point => point.sum)).toEqual([10n, 5n])
    const types = await run.profileTypes(at.queries, { tenant, ...WHOLE })
    expect(types.map(({ temporality, profiles: count }) => [temporality, count])).toEqual([
      ['cumulative', 2],
      ['delta', 2],
    ])
  })

  test('report overflow and stay exact', async () => {
    const most = 2n ** 63n - 1n
    const tenant = await kept([one(most), one(most), one(5n)])
    const tree = await run.flameGraph(at.queries, { tenant, ...WHOLE })
    expect([tree.sum, tree.overflow, exactTotal(tree, 0)]).toEqual([2n * most + 5n, true, 2n * most + 5n])
    const totals = await run.seriesTotals(at.queries, { tenant, ...WHOLE }, { step: SECOND })
    expect([totals.overflow, totals.groups[0].points[0].sum]).toEqual([true, 2n * most + 5n])
    // A sample whose values exceed 64 bits is stored with the limit as its value.
    const both = { ...stackOf('main'), values: [most, most], timestamps: [START, START + 1n] }
    const other = await kept([{ samples: [both] }])
    expect((await run.flameGraph(at.queries, { tenant: other, ...WHOLE })).sum).toBe(2n * most)
    const other53 = await kept([one(2n ** 53n), one(1n)])
    expect(exactTotal(await run.flameGraph(at.queries, { tenant: other53, ...WHOLE }), 0)).toBe(2n ** 53n + 1n)
  })
})

describe('lists', () => {
  test('contain types, services and attributes', async () => {
    const [type, ...others] = await run.profileTypes(at.queries, ALL)
    expect([type, ...others].map(each => `${each.type}:${each.unit}`)).toEqual(['cpu:nanoseconds', 'cpu:ns'])
    expect(type.profiles + others[0].profiles).toBe(profiles.length)
    const services = await run.services(at.queries, ALL)
    const count = (name: string) => profiles.filter(each => (each.resource['service.name'] ?? '') === name).length
    expect(services.map(each => [each.service, each.profiles])).toEqual(
      ['', 'cart', 'checkout'].map(s => [s, count(s)]),
    )
    const keys = await run.attributeKeys(at.queries, ALL)
    expect(keys.rows.map(row => row.key)).toEqual(['debug', 'ratio', 'region', 'service.name', 'thread.id'])
    expect(keys.rows.find(row => row.key === 'service.name')?.levels).toEqual(['resource'])
    expect(await run.attributeKeys(at.queries, ALL, { prefix: 'r', limit: 1 })).toMatchObject({
      rows: [{ key: 'ratio' }],
      truncated: true,
    })
    const values = await run.attributeValues(at.queries, ALL, 'region')
    expect(values.rows.map(row => row.value)).toEqual(['eu-1', 'eu-2', 'us\n1'])
    expect((await run.attributeValues(at.queries, ALL, 'region', { prefix: 'us' })).rows).toHaveLength(1)
    expect((await run.attributeValues(at.queries, ALL, 'thread.id')).rows.map(row => row.value)).toEqual([
      1n,
      2n,
      2n ** 53n + 1n,
    ])
    expect((await run.attributeValues(at.queries, ALL, 'scope.name')).rows.map(row => row.text)).toEqual([
      'agent',
      'ebpf',
    ])
    expect((await run.attributeValues(at.queries, { ...ALL, tenant: 'nobody' }, 'region')).rows).toEqual([])
    const narrow = { ...ALL, selector: '{service.name="cart"}' }
    expect((await run.services(at.queries, narrow)).map(each => each.service)).toEqual(['cart'])
  })

  test('contain profiles in pages that lead to whole profiles', async () => {
    const found: string[] = []
    let after: string | undefined
    do {
      const page = await run.listProfiles(at.queries, ALL, { limit: 7, ...(after === undefined ? {} : { after }) })
      found.push(...page.profiles.map(each => each.profile))
      after = page.next
    } while (after !== undefined)
    expect(new Set(found).size).toBe(profiles.length)
    const { profiles: rows } = await run.listProfiles(at.queries, ALL, { limit: 100 })
    expect(rows.map(row => row.profile)).toEqual(found)
    expect(rows.map(row => row.time)).toEqual(profiles.map(each => each.time).sort((a, b) => Number(b - a)))
    const linked = await run.listProfiles(at.queries, { ...ALL, from: 0n, selector: `{trace.id="${'01'.repeat(16)}"}` })
    expect(linked.profiles).toHaveLength(
      profiles.filter(each => each.samples.some(sample => sample.link?.[0] === '01'.repeat(16))).length,
    )
    const whole = await run.wholeProfile(at.queries, ALL, rows[0].profile)
    expect(whole.profiles.length).toBe(1)
    expect(await faultOf(run.wholeProfile(at.queries, { tenant: 'nobody' }, rows[0].profile))).toBe('not-found')
    expect(await faultOf(run.wholeProfile(at.queries, ALL, 'nonsense'))).toBe('argument')
    expect(await faultOf(run.listProfiles(at.queries, ALL, { after: 'nonsense' }))).toBe('argument')
  })

  test('exports return every stored profile', async () => {
    const all: Profiles[] = []
    for await (const each of run.exportProfiles(at.queries, ALL)) all.push(each)
    expect(all.reduce((sum, each) => sum + each.profiles.length, 0)).toBe(profiles.length)
    const tenant = await kept([profiles[0]])
    const again: Profiles[] = []
    for await (const each of run.exportProfiles(at.queries, { tenant, ...WHOLE })) again.push(each)
    expect(difference(profilesOf([profiles[0]]), again[0])).toBeUndefined()
    const ofTrace = `{trace.id="${'01'.repeat(16)}", region}`
    for (const text of ['{sample:region="eu-1"}', '{} | frame "gc"', ofTrace]) {
      let total = 0n
      for await (const each of run.exportProfiles(at.queries, { ...ALL, selector: text })) {
        for (let i = 0; i < each.profiles.length; i++) total += callTree(each, i).sum
        expect(writeProfile(each, 'otlp').bytes.length).toBeGreaterThan(0)
      }
      expect(total).toBe(totalOf(selected(text)))
    }
  })
})

describe('time', () => {
  const thread = (id: bigint, ms: bigint, name: string): PlainSample => ({
    ...stackOf('main', name),
    values: [],
    timestamps: [START + ms * 1_000_000n, START + (ms + 10n) * 1_000_000n],
    attributes: { 'thread.id': id },
  })

  test('events by thread', async () => {
    const tenant = await kept([{ samples: [thread(1n, 500n, 'a'), thread(2n, 100n, 'b'), thread(1n, 20n, 'c')] }])
    const events = await run.events(at.queries, { tenant, ...WHOLE })
    const shown = Array.from({ length: events.length }, (_, i) => [
      events.threads[events.thread[i]].id,
      (events.time[i] - START) / 1_000_000n,
      events.frames.name[events.frame[events.node[i]]],
      events.value[i],
    ])
    expect(shown).toEqual([
      [1n, 20n, 'c', 1n],
      [1n, 30n, 'c', 1n],
      [1n, 500n, 'a', 1n],
      [1n, 510n, 'a', 1n],
      [2n, 100n, 'b', 1n],
      [2n, 110n, 'b', 1n],
    ])
    // A profile that began before the range.
    const part = await run.events(at.queries, {
      tenant,
      from: START + 105n * 1_000_000n,
      to: START + 505n * 1_000_000n,
    })
    expect(Array.from(part.time, time => (time - START) / 1_000_000n)).toEqual([110n, 500n])
  })

  test('the heat map counts observations by second and by part of it', async () => {
    const both = {
      ...stackOf('main'),
      values: [5n, 7n],
      timestamps: [START + 20_000_000n, START + SECOND + 39_000_000n],
    }
    const tenant = await kept([{ samples: [thread(1n, 990n, 'a'), both] }])
    const map = await run.heatMap(at.queries, { tenant, ...WHOLE })
    const cells = Array.from({ length: map.length }, (_, i) => [map.columns[i], map.row[i], map.count[i], map.value[i]])
    expect(cells).toEqual([
      [0, 1, 1, 5],
      [0, 49, 1, 1],
      [1, 0, 1, 1],
      [1, 1, 1, 7],
    ])
  })

  test('a span with all spans below it', async () => {
    const trace = 'ab'.repeat(16)
    const [root, child, leaf, other] = ['01', '02', '03', '04'].map(byte => byte.repeat(8))
    const of = (span: string, value: bigint): PlainSample => ({
      ...stackOf('main'),
      values: [value],
      link: [trace, span],
    })
    const tenant = await kept([{ samples: [of(root, 1n), of(child, 10n), of(leaf, 100n), of(other, 1000n)] }])
    const rows = new GroupRows()
    writeSpans(rows, tenant, trace, [
      [root, ''],
      [child, root],
      [leaf, child],
      [other, ''],
    ])
    await at.store.commit(rows)
    const ask = async (spanId: string | undefined, subtree: boolean) => {
      const span = { traceId: trace, subtree, ...(spanId === undefined ? {} : { spanId }) }
      return (await run.flameGraph(at.queries, { tenant, ...WHOLE, span })).sum
    }
    expect(await ask(undefined, false)).toBe(1111n)
    expect(await ask(child, false)).toBe(10n)
    expect(await ask(child, true)).toBe(110n)
    expect(await ask(root, true)).toBe(111n)
    expect(await faultOf(ask('zz', true))).toBe('argument')
  })

  function writeSpans(
    rows: GroupRows,
    tenant: string,
    trace: string,
    list: readonly (readonly [string, string])[],
  ): void {
    const context = newContext(tenant)
    const bytes = (hex: string, length: number) => new Uint8Array(Buffer.from(hex.padEnd(2 * length, '0'), 'hex'))
    const { columns } = rows.batch(spans)
    for (const [span, parent] of list) {
      for (const [name, column] of Object.entries(columns)) {
        if (name === 'tenant') columns.tenant.push(tenant)
        else if (name === 'day') columns.day.push(context.day)
        else if (name === 'received' || name === 'time') columns[name].push(RECEIVED)
        else if (name === 'trace_id') columns.trace_id.push(bytes(trace, 16))
        else if (name === 'span_id') columns.span_id.push(bytes(span, 8))
        else if (name === 'parent_span_id') columns.parent_span_id.push(bytes(parent, 8))
        else if (name === 'request') columns.request.push(context.request)
        else if ('endRow' in column) column.endRow()
        else if ('pushHalves' in column) column.pushHalves(0, 0)
        else if ('pushBytes' in column) column.pushBytes(new Uint8Array(0))
        else (column as { push(value: number): void }).push(0)
      }
    }
  }
})

describe('bounds', () => {
  test('rejects invalid selectors, ranges and limits', async () => {
    expect(await faultOf(run.flameGraph(at.queries, { ...ALL, selector: '{a=}' }))).toBe('syntax')
    const error = await run.flameGraph(at.queries, { ...ALL, selector: '{a=~"x", b=~"("}' }).catch((e: QueryError) => e)
    expect(error).toMatchObject({ fault: 'regex', position: 12 })
    expect(await faultOf(run.flameGraph(at.queries, { ...ALL, selector: '{region=~"a)|(?:.*"}' }))).toBe('regex')
    expect(await faultOf(run.flameGraph(at.queries, { ...ALL, from: 5n, to: 4n }))).toBe('argument')
    expect(await faultOf(run.flameGraph(at.queries, { ...ALL, from: -1n }))).toBe('argument')
    expect(await faultOf(run.flameGraph(at.queries, { ...ALL, limits: { maxRows: 3 } }))).toBe('too-many-rows')
    expect(await faultOf(run.flameGraph(at.queries, { ...ALL, to: 2n ** 70n }))).toBe('none')
  })

  test('texts of selectors are never part of statements', async () => {
    const evil = `') OR 1=1 -- \\' {v0:String}`
    for (const text of [`{"${evil.replaceAll('\\', '\\\\')}"="x"}`, `{region="${evil.replaceAll('\\', '\\\\')}"}`]) {
      expect((await run.flameGraph(at.queries, { ...ALL, selector: text })).length).toBe(0)
    }
    expect((await run.flameGraph(at.queries, { ...ALL, tenant: evil })).length).toBe(0)
    const tenant = await kept([{ resource: { [evil]: evil }, samples: [{ ...stackOf(evil), values: [3n] }] }])
    const selector = `{"${evil.replaceAll('\\', '\\\\')}"="${evil.replaceAll('\\', '\\\\')}"} | frame \`${evil}\``
    expect((await run.flameGraph(at.queries, { tenant, ...WHOLE, selector })).sum).toBe(3n)
  })

  test('a signal cancels the query', async () => {
    const controller = new AbortController()
    controller.abort()
    await expect(run.flameGraph(at.queries, { ...ALL, signal: controller.signal })).rejects.toMatchObject({
      fault: 'cancelled',
    })
    const later = new AbortController()
    const pending = run.flameGraph(at.queries, { ...ALL, selector: '{region=~"eu.*"}', signal: later.signal })
    later.abort()
    await expect(pending).rejects.toMatchObject({ fault: 'cancelled' })
    // A cancelled query leaves no partial state.
    expect((await run.flameGraph(at.queries, ALL)).sum).toBe(totalOf(selected('')))
  })
})

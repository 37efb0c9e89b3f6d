// Tests types, labels, series, points and heat maps over real sockets with the real engine, against the stored
// profiles.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlainProfile, PlainSample } from '../../../query/testing/plain-profiles.ts'
import { NO_SCOPE, START } from '../../../query/testing/plain-profiles.ts'
import type { Client, Json } from '../../testing/connect-clients.ts'
import { clientsOf } from '../../testing/connect-clients.ts'
import { pathsOfLevels } from '../../testing/flame-paths.ts'
import { CPU_ID } from '../../testing/modest-profiles.ts'
import type { QuerierServer } from '../../testing/querier-server.ts'
import { startQuerier } from '../../testing/querier-server.ts'

const SECOND = 1_000_000_000n
const MILLI = 1_000_000n
const BEGIN = START / MILLI
const RANGE = { start: String(BEGIN), end: String(BEGIN + 60_000n) }
const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

function sample(path: string, value: bigint, more: Partial<PlainSample> = {}): PlainSample {
  return { frames: path.split(';').map(name => ({ name })), values: [value], ...more }
}

function profile(more: Partial<PlainProfile>): PlainProfile {
  return {
    resource: { 'service.name': 'shop' },
    scope: NO_SCOPE,
    type: 'cpu',
    unit: 'ns',
    periodType: 'cpu',
    periodUnit: 'ns',
    time: START + SECOND,
    attributes: {},
    samples: [],
    ...more,
  }
}

const SPAN = ['01'.repeat(16), 'aa'.repeat(8)] as const
const stored: PlainProfile[] = [
  // Two attributes with the same label, and a sample with a label of its own.
  profile({
    id: Buffer.from(UUID.replaceAll('-', ''), 'hex'),
    resource: { 'service.name': 'shop', 'host.name': 'a', region: 'eu' },
    samples: [
      sample('main;run', 30n, { link: SPAN }),
      sample('main;idle', 10n, { attributes: { 'thread.name': 'gc' } }),
    ],
    // Ids have a value for each span or profile, and lists are no values of labels.
    attributes: { span_id: 'aa', profile_id: 'bb', 'process.command_args': ['run', '--fast'] },
  }),
  profile({
    resource: { service_name: 'shop', 'host.name': 'b', region: 'us' },
    time: START + 20n * SECOND,
    samples: [sample('main;run', 5n)],
  }),
  profile({
    resource: { 'service.name': 'cart', host_name: 'own', 'host.name': 'dotted' },
    attributes: {
      'pyroscope.name': 'process_cpu',
      'pyroscope.label.__session_id__': 's1',
      'pyroscope.units': 'x',
      'hearth.pprof.location_ids': '1,2,3',
      'pprof.profile.comment': 'x',
    },
    time: START + 21n * SECOND,
    samples: [sample('main', 7n)],
  }),
  // Counts at two periods by senders that do not measure time, and one sender that measures both.
  profile({ ...counts('ebpf', 50_000_000n), samples: [sample('kernel;run', 3n)] }),
  profile({ ...counts('ebpf', 10_000_000n), time: START + 2n * SECOND, samples: [sample('kernel;run', 4n)] }),
  profile({ ...counts('golang', 10_000_000n), samples: [sample('go', 2n)] }),
  profile({ resource: { 'service.name': 'golang' }, samples: [sample('go', 20_000_000n)] }),
  profile({
    resource: { 'service.name': 'shop' },
    type: 'inuse_space',
    unit: 'By',
    periodType: 'space',
    periodUnit: 'By',
    samples: [sample('alloc', 64n)],
  }),
]

function counts(service: string, period: bigint): Partial<PlainProfile> {
  return { resource: { 'service.name': service }, type: 'samples', unit: 'count', period }
}

const SPACE_ID = 'memory:inuse_space:bytes:space:bytes'
const COUNT_ID = 'process_cpu:samples:count:cpu:nanoseconds'

let server: QuerierServer
let ask: Client

beforeAll(async () => {
  server = await startQuerier()
  await server.store.keep('default', stored)
  ask = clientsOf(server.url, server.grpcUrl)['Connect JSON']
})
afterAll(async () => {
  await server.close()
})

describe('ProfileTypes', () => {
  test('have five parts', async () => {
    const { profileTypes } = await ask('ProfileTypes', RANGE)
    expect(profileTypes).toEqual([
      typeJson(SPACE_ID),
      typeJson(CPU_ID),
      // The sender that measures time as well.
      typeJson(COUNT_ID),
    ])
    expect(await ask('ProfileTypes', {})).toEqual({ profileTypes })
    expect(await ask('ProfileTypes', { start: '1', end: '2' })).toEqual({ profileTypes: [] })
  })

  function typeJson(ID: string): Json {
    const [name, sampleType, sampleUnit, periodType, periodUnit] = ID.split(':')
    return { ID, name, sampleType, sampleUnit, periodType, periodUnit }
  }

  test('select the profiles that they name', async () => {
    const total = async (profileTypeID: string, labelSelector = '{}') => {
      const response = await ask('SelectMergeStacktraces', { profileTypeID, labelSelector, ...RANGE })
      return (response['flamegraph'] as Json)['total']
    }
    // 3 at 50 ms and 4 at 10 ms, in addition to the measured time.
    expect(await total(CPU_ID)).toBe(String(190_000_000n + 20_000_000n + 30n + 10n + 5n + 7n))
    expect(await total(CPU_ID, '{service_name="ebpf"}')).toBe('190000000')
    expect(await total(COUNT_ID)).toBe('2')
    expect(await total(SPACE_ID)).toBe('64')
    expect(await total('wall:cpu:nanoseconds:cpu:nanoseconds')).toBe('0')
  })
})

/** The responses of all queries for a tenant's data of one type. */
async function totalsOf(tenant: string, profileTypeID: string) {
  const headers = { 'x-scope-orgid': tenant }
  const request = { profileTypeID, labelSelector: '{}', ...RANGE }
  const queried = async (method: string, more: Json = {}) => await ask(method, { ...request, ...more }, { headers })
  const { flamegraph } = await queried('SelectMergeStacktraces')
  const { flamegraph: ofSpan } = await queried('SelectMergeSpanProfile', { spanSelector: [SPAN[1]] })
  const { sample: samples } = (await queried('SelectMergeProfile')) as { sample: { value: string[] }[] }
  const { series } = await queried('SelectSeries', { step: 60 })
  const [{ points }] = series as { points: { value: number }[] }[]
  return {
    graph: (flamegraph as Json)['total'],
    span: (ofSpan as Json)['total'],
    pprof: samples.map(({ value }) => value).flat(),
    points: points.map(({ value }) => value),
  }
}

test('convert counts with any number of periods to time, each by its own', async () => {
  const periods = Array.from({ length: 40 }, (_, n) => 10_000_000n + BigInt(n))
  const profiles = periods.map((period, n) =>
    profile({
      ...counts('node', period),
      time: START + BigInt(n + 1) * SECOND,
      samples: [sample('run', 2n), sample('run', 1n, { link: SPAN })],
    }),
  )
  await server.store.keep('periods', profiles)
  const sum = periods.reduce((all, period) => all + period, 0n)
  expect(await totalsOf('periods', CPU_ID)).toEqual({
    graph: String(3n * sum),
    span: String(sum),
    pprof: [String(3n * sum)],
    points: [Number(3n * sum)],
  })
  const heatmap = await ask(
    'SelectHeatmap',
    { profileTypeID: CPU_ID, labelSelector: '{}', ...RANGE, step: 60 },
    { headers: { 'x-scope-orgid': 'periods' } },
  )
  const [{ slots }] = heatmap['series'] as { slots: { yMin: number[]; counts: number[] }[] }[]
  expect(slots[0].yMin[0]).toBe(30_000_000)
  expect(slots.flatMap(slot => slot.counts).reduce((all, count) => all + count, 0)).toBe(40)
})

test('count the increase of cumulative profiles, and all snapshots', async () => {
  const attributes = { 'hearth.profile.aggregation_temporality': 'cumulative' }
  const grown = (start: bigint, end: bigint, value: bigint, more: Partial<PlainProfile> = {}) =>
    profile({
      time: START + start * SECOND,
      duration: (end - start) * SECOND,
      attributes,
      samples: [sample('run', value - 1n), sample('run', 1n, { link: SPAN })],
      ...more,
    })
  await server.store.keep('grown', [grown(0n, 30n, 10n), grown(0n, 10n, 4n), grown(0n, 20n, 6n), grown(30n, 40n, 2n)])
  expect(await totalsOf('grown', CPU_ID)).toEqual({ graph: '12', span: '2', pprof: ['12'], points: [12] })
  const counted = { ...counts('node', 7n), attributes }
  await server.store.keep('counted', [grown(0n, 20n, 6n, counted), grown(0n, 10n, 4n, counted)])
  expect(await totalsOf('counted', CPU_ID)).toEqual({ graph: '42', span: '7', pprof: ['42'], points: [42] })
  const heap = { type: 'inuse_space', unit: 'By', periodType: 'space', periodUnit: 'By', attributes: {} }
  await server.store.keep('heap', [grown(1n, 10n, 4n, heap), grown(10n, 20n, 6n, heap)])
  expect(await totalsOf('heap', SPACE_ID)).toEqual({ graph: '10', span: '2', pprof: ['10'], points: [10] })
})

test('return the nearest doubles of large sums in series', async () => {
  const large = [2n ** 53n + 1n, 2n ** 53n + 1n, 2n].map((value, n) =>
    profile({
      time: START + BigInt(n + 1) * SECOND,
      samples: [sample('run', value), sample('run', 1n, { link: SPAN })],
    }),
  )
  await server.store.keep('large', large)
  // Doubles that were added up would lose each 1.
  const sum = 2n ** 54n + 7n
  expect(await totalsOf('large', CPU_ID)).toEqual({
    graph: String(sum),
    span: '3',
    pprof: [String(sum)],
    points: [Number(sum)],
  })
})

test('do not convert counts without a period to time', async () => {
  await server.store.keep('counting', [profile({ ...counts('ebpf', 0n), samples: [sample('run', 3n)] })])
  const headers = { 'x-scope-orgid': 'counting' }
  const { profileTypes } = await ask('ProfileTypes', {}, { headers })
  expect(profileTypes).toMatchObject([{ ID: CPU_ID }])
  const pending = ask('SelectMergeStacktraces', { profileTypeID: CPU_ID, labelSelector: '{}', ...RANGE }, { headers })
  await expect(pending).rejects.toThrow(/failed_precondition.*without a period/)
})

describe('labels', () => {
  const names = async (matchers: string[]) => (await ask('LabelNames', { matchers, ...RANGE }))['names']
  const values = async (name: string, ...matchers: string[]) =>
    (await ask('LabelValues', { name, matchers, ...RANGE }))['names']

  test('have names without dots, and omit attributes about how a profile was sent', async () => {
    const types = ['__name__', '__period_type__', '__period_unit__', '__profile_type__', '__type__', '__unit__']
    const own = ['__session_id__', 'host_name', 'region', 'service_name', 'thread_name']
    expect(await names([])).toEqual([...types, ...own].sort())
    expect(await names(['{service_name="shop", region="us"}'])).toEqual([
      ...types,
      'host_name',
      'region',
      'service_name',
    ])
    expect(await names([`{__profile_type__="${SPACE_ID}"}`])).toEqual([...types, 'service_name'])
    expect(await names([`${SPACE_ID}{}`, '{region="us"}'])).toEqual([...types, 'host_name', 'region', 'service_name'])
    expect(await names(['{service_name="nobody"}'])).toEqual([])
    expect(await names(['{__profile_type__=""}'])).toEqual([])
  })

  test('have the values of all attributes that they represent', async () => {
    expect(await values('service_name')).toEqual(['cart', 'ebpf', 'golang', 'shop'])
    expect(await values('host_name')).toEqual(['a', 'b', 'dotted', 'own'])
    expect(await values('host_name', '{service_name="shop"}')).toEqual(['a', 'b'])
    expect(await values('thread_name')).toEqual(['gc'])
    expect(await values('__session_id__')).toEqual(['s1'])
    expect(await values('__profile_type__', '{service_name="shop"}')).toEqual([SPACE_ID, CPU_ID])
    expect(await values('__name__')).toEqual(['memory', 'process_cpu'])
    expect(await values('__unit__', '{__name__=~"mem.*"}')).toEqual(['bytes'])
    expect(await values('service_name', '{__type__!="cpu", __name__!~"process.*"}')).toEqual(['shop'])
    expect(await values('no_such')).toEqual([])
  })

  test('are combined in series', async () => {
    const seriesOf = async (labelNames: string[], ...matchers: string[]) => {
      const { labelsSet } = await ask('Series', { matchers, labelNames, ...RANGE })
      return (labelsSet as unknown as readonly { readonly labels: readonly Record<'name' | 'value', string>[] }[]).map(
        ({ labels }) => labels.map(({ name, value }) => `${name}=${value}`).join(' '),
      )
    }
    expect(await seriesOf(['service_name', '__profile_type__'])).toEqual(
      [
        `__profile_type__=${SPACE_ID} service_name=shop`,
        `__profile_type__=${CPU_ID} service_name=cart`,
        `__profile_type__=${CPU_ID} service_name=ebpf`,
        `__profile_type__=${CPU_ID} service_name=golang`,
        `__profile_type__=${CPU_ID} service_name=shop`,
        `__profile_type__=${COUNT_ID} service_name=golang`,
      ].sort(),
    )
    expect(await seriesOf(['thread_name'], '{service_name="shop"}')).toEqual(['thread_name=gc'])
    // The attribute with the label's own name takes precedence.
    expect(await seriesOf(['host_name'], '{service_name="cart"}')).toEqual(['host_name=own'])
    const [all] = await seriesOf([], '{service_name="cart"}')
    expect(all).toContain('__session_id__=s1')
    expect(all).toContain('service_name=cart')
    expect(all).not.toMatch(/pyroscope|pprof/)
  })

  test('GetProfileStats returns the first and last time', async () => {
    expect(await ask('GetProfileStats', {})).toEqual({
      dataIngested: true,
      oldestProfileTime: String(BEGIN + 1000n),
      newestProfileTime: String(BEGIN + 21_000n),
    })
  })
})

interface SeriesJson {
  readonly labels: readonly { readonly name: string; readonly value: string }[]
  readonly points: readonly {
    readonly value: number
    readonly timestamp: string
    readonly exemplars: readonly Json[]
  }[]
}

describe('SelectSeries', () => {
  const request = (more: Json): Json => ({ profileTypeID: CPU_ID, labelSelector: '{}', step: 10, ...RANGE, ...more })
  const shown = async (more: Json) => {
    const series = (await ask('SelectSeries', request(more)))['series'] as unknown as SeriesJson[]
    return series.map(({ labels, points }) => [
      labels.map(({ name, value }) => `${name}=${value}`).join(' '),
      ...points.map(({ value, timestamp }) => `${Number(BigInt(timestamp) - BEGIN) / 1000}:${value}`),
    ])
  }

  test('have points at the ends of steps', async () => {
    const shop = { labelSelector: '{service_name="shop"}' }
    expect(await shown(shop)).toEqual([['', '10:40', '20:5']])
    // 21 s is in the step that ends at 30 s, which is not in the range.
    expect(await shown({ labelSelector: '{service_name="cart"}', end: String(BEGIN + 29_999n) })).toEqual([])
    expect(await shown({ labelSelector: '{service_name="cart"}', end: String(BEGIN + 30_000n) })).toEqual([
      ['', '30:7'],
    ])
    expect(await shown({ ...shop, start: String(BEGIN + 1000n) })).toEqual([['', '1:40', '21:5']])
  })

  test('group by labels and convert counts to time', async () => {
    const own = ['host_name=a service_name=shop', '10:40']
    expect(await shown({ groupBy: ['service_name', 'host_name'], labelSelector: '{region="eu"}' })).toEqual([own])
    expect(await shown({ groupBy: ['service_name'] })).toEqual([
      ['service_name=cart', '30:7'],
      ['service_name=ebpf', '10:190000000'],
      ['service_name=golang', '10:20000000'],
      ['service_name=shop', '10:40', '20:5'],
    ])
    expect(await shown({ groupBy: ['service_name'], limit: '2' })).toEqual([
      ['service_name=ebpf', '10:190000000'],
      ['service_name=golang', '10:20000000'],
    ])
    expect(await shown({ groupBy: ['thread_name', '__name__'], labelSelector: '{region="eu"}' })).toEqual([
      ['__name__=process_cpu', '10:30'],
      ['__name__=process_cpu thread_name=gc', '10:10'],
    ])
  })

  test('average by profile', async () => {
    const average = 'TIME_SERIES_AGGREGATION_TYPE_AVERAGE'
    const shop = { labelSelector: '{service_name="shop"}', step: 30 }
    expect(await shown({ ...shop, aggregation: average })).toEqual([['', '30:22.5']])
    expect(await shown({ labelSelector: '{service_name="ebpf"}', aggregation: average })).toEqual([['', '10:95000000']])
  })

  test('select a call site', async () => {
    const callSite = [{ name: 'main' }, { name: 'run' }]
    expect(await shown({ labelSelector: '{service_name="shop"}', stackTraceSelector: { callSite } })).toEqual([
      ['', '10:30', '20:5'],
    ])
  })

  test('have exemplars that lead to profiles and spans', async () => {
    const ofType = async (exemplarType: string) => {
      const body = request({ labelSelector: '{service_name="shop"}', exemplarType, groupBy: ['service_name'] })
      const [series] = (await ask('SelectSeries', body))['series'] as unknown as SeriesJson[]
      return series.points.flatMap(({ exemplars }) => exemplars)
    }
    const profiles = await ofType('EXEMPLAR_TYPE_INDIVIDUAL')
    expect(profiles).toMatchObject([
      { profileId: UUID, value: '40', timestamp: String(BEGIN + 1000n), spanId: '' },
      { value: '5', timestamp: String(BEGIN + 20_000n) },
    ])
    expect(profiles[0]['labels']).toEqual([
      { name: 'host_name', value: 'a' },
      { name: 'region', value: 'eu' },
    ])
    for (const { profileId, value } of profiles) {
      const one = await ask('SelectMergeStacktraces', {
        profileTypeID: CPU_ID,
        labelSelector: '{}',
        ...RANGE,
        profileIdSelector: [profileId],
      })
      expect((one['flamegraph'] as Json)['total']).toBe(value)
    }
    const [traceId, spanId] = SPAN
    expect(await ofType('EXEMPLAR_TYPE_SPAN')).toMatchObject([{ traceId, spanId, value: '30', profileId: '' }])
    expect(await ofType('EXEMPLAR_TYPE_NONE')).toEqual([])
  })
})

describe('SelectHeatmap', () => {
  const request = (more: Json): Json => ({
    profileTypeID: CPU_ID,
    labelSelector: '{service_name="shop"}',
    step: 10,
    ...RANGE,
    ...more,
  })

  interface HeatJson {
    readonly labels: readonly Json[]
    readonly slots: readonly {
      readonly timestamp: string
      readonly yMin: readonly number[]
      readonly counts: readonly number[]
      readonly exemplars: readonly Json[]
    }[]
  }

  test('counts profiles by size', async () => {
    const body = request({ queryType: 'HEATMAP_QUERY_TYPE_INDIVIDUAL', exemplarType: 'EXEMPLAR_TYPE_INDIVIDUAL' })
    const [series, ...others] = (await ask('SelectHeatmap', body))['series'] as unknown as HeatJson[]
    expect(others).toEqual([])
    expect(series.slots.map(({ timestamp }) => Number(BigInt(timestamp) - BEGIN))).toEqual([10_000, 20_000])
    const [first, second] = series.slots
    expect(first.yMin).toEqual(Array.from({ length: 20 }, (_, row) => 5 + row * 1.75))
    expect(first.counts).toEqual([...Array.from({ length: 19 }, () => 0), 1])
    expect(second.counts).toEqual([1, ...Array.from({ length: 19 }, () => 0)])
    expect(first.exemplars).toMatchObject([{ profileId: UUID, value: '40' }])
  })

  test('counts spans and groups by labels', async () => {
    const body = request({
      queryType: 'HEATMAP_QUERY_TYPE_SPAN',
      exemplarType: 'EXEMPLAR_TYPE_SPAN',
      groupBy: ['region'],
    })
    const [series] = (await ask('SelectHeatmap', body))['series'] as unknown as HeatJson[]
    expect(series.labels).toEqual([{ name: 'region', value: 'eu' }])
    expect(series.slots.map(({ counts: each }) => each.reduce((a, b) => a + b))).toEqual([1])
    expect(series.slots[0].exemplars).toMatchObject([{ traceId: SPAN[0], spanId: SPAN[1], value: '30' }])
    const byRegion = await ask('SelectHeatmap', request({ queryType: 1, groupBy: ['region'], limit: '1' }))
    expect(byRegion['series']).toHaveLength(1)
    const nobody = await ask('SelectHeatmap', request({ labelSelector: '{service_name="nobody"}' }))
    expect(nobody['series']).toEqual([])
    const counted = await ask('SelectHeatmap', request({ labelSelector: '{service_name="ebpf"}' }))
    const [ebpf] = counted['series'] as unknown as HeatJson[]
    expect(ebpf.slots.flatMap(({ yMin }) => yMin)[0]).toBe(40_000_000)
  })
})

test('finds a span that only a label names', async () => {
  const spanId = 'cd'.repeat(8)
  await server.store.keep('default', [
    profile({
      resource: { 'service.name': 'old' },
      samples: [sample('main;traced', 11n, { attributes: { span_id: spanId } })],
    }),
  ])
  const body = { profileTypeID: CPU_ID, labelSelector: '{}', ...RANGE, spanSelector: [spanId] }
  const { flamegraph } = await ask('SelectMergeSpanProfile', body)
  const { names, levels } = flamegraph as unknown as { names: string[]; levels: { values: string[] }[] }
  expect(
    pathsOfLevels(
      names,
      levels.map(({ values }) => values.map(BigInt)),
    ),
  ).toEqual({ main: '0/11', 'main;traced': '11/11' })
})

test('no query failed with an internal error', () => expect(server.errors).toEqual([]))

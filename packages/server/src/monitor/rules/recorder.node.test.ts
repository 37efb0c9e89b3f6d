import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { StateFiles } from '../../broker/state-file.ts'
import { Recorder } from './recorder.ts'
import type { RecordingRule } from './recording-rule.ts'
import { prometheusText, recordingFile, recordingRule } from './recording-rule.ts'
import { RuleStore, storedRules } from './rule-store.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-recorder-'))
afterAll(() => rmSync(directory, { recursive: true }))

const MINUTE = 60_000_000_000n

interface Task {
  readonly from: bigint
  readonly to: bigint
  readonly step: bigint
  readonly selector: string
}

const isState = (selector: string): boolean => selector.startsWith('inuse_')

/** Each step has 30 s of CPU time of one group, and ten requests. */
const threads = {
  async call(name: string, { from, to, step, selector }: Task) {
    const times: bigint[] = []
    for (let time = from; time < to; time += step) times.push(time)
    if (name === 'monitorLedger')
      return times.map(begin => ({
        labels: { 'service.version': '2' },
        kind: 'lock',
        from: begin,
        count: 4,
        sum: 2,
        buckets: [1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0],
      }))
    if (name === 'monitorRequests') return times.map(time => ({ service: 'shop', time, count: 10 }))
    return {
      unit: 'ns',
      isGauge: isState(selector),
      groups: [{ labels: { 'service.name': 'shop' }, points: times.map(time => ({ time, value: 3e10 })) }],
    }
  },
} as unknown as ConstructorParameters<typeof Recorder>[0]['threads']

function opened(name: string, rule: Partial<RecordingRule>, statuses: number[] = []) {
  const stored: string[] = []
  const sent: number[] = []
  const errors: unknown[] = []
  const metrics: unknown[] = []
  let now = 600_000
  const common = rule.ledger === undefined ? { selector: 'cpu:ns{}', groupBy: ['service.name'] } : {}
  const rules = [recordingRule.parse({ name: 'cpu', ...common, ...rule })]
  const pointsIn = (json: object): string[] =>
    [...JSON.stringify(json).matchAll(/"timeUnixNano":"(\d+)","asDouble":([\d.]+)/g)].map(
      ([, time, value]) => `${BigInt(time) / MINUTE} ${value}`,
    )
  const recorder = new Recorder({
    threads,
    files: new StateFiles(directory, name, recordingFile),
    rules: () => rules,
    storeMetrics: async (_, json) => {
      stored.push(...pointsIn(json))
      metrics.push(json)
    },
    ...(statuses.length > 0 ? { sendTo: 'http://collector:4318' } : {}),
    fetch: (async (_url: string, { body }: RequestInit) => {
      const status = statuses.shift() ?? 200
      if (status === 200) sent.push(pointsIn(JSON.parse(body as string) as object).length)
      return new Response('', { status })
    }) as typeof fetch,
    onError: error => errors.push(error),
    now: () => now,
  })
  const signal = new AbortController().signal
  return {
    recorder,
    rule: rules[0],
    stored,
    sent,
    errors,
    metrics,
    signal,
    run: () => recorder.run('default', signal),
    later: (ms: number) => (now += ms),
  }
}

describe('Recorder', () => {
  it('stores each interval once, after its profiles arrived', async () => {
    const { recorder, run, stored, later } = opened('once', { per: 'core' })
    await run()
    await run()
    expect(stored).toEqual(['9 0.5'])
    expect(recorder.latest('default')[0].points).toMatchObject([{ value: 0.5, labels: { 'service.name': 'shop' } }])
    later(120_000)
    await run()
    expect(stored).toEqual(['9 0.5', '10 0.5', '11 0.5'])
  })

  it('backfills up to the first recorded point', async () => {
    const { recorder, rule, run, stored, signal } = opened('backfill', { per: 'second' })
    await run()
    expect(await recorder.backfill('default', rule, 4n * MINUTE, signal)).toBe(4)
    expect(stored.map(point => point.split(' ')[0])).toEqual(['9', '5', '6', '7', '8'])
    expect(await recorder.backfill('default', rule, 4n * MINUTE, signal)).toBe(0)
  })

  it('sends points on, and sends them again after a failure without storing them twice', async () => {
    const { run, stored, sent, errors, later } = opened('send', { per: 'core' }, [503, 200, 200])
    await run()
    expect([stored.length, sent, errors.length]).toEqual([1, [], 1])
    later(60_000)
    await run()
    expect([stored.length, sent]).toEqual([2, [2]])
  })

  it('divides by requests, and rejects what it cannot divide', async () => {
    const perRequest = opened('request', { per: 'request' })
    await perRequest.run()
    expect(perRequest.stored).toEqual(['9 3000000000'])
    const without = opened('without', { per: 'request', groupBy: [] })
    await without.run()
    expect(String(without.errors[0])).toContain('per request needs service.name in groupBy')
  })

  it('records a state as it is, whatever the interval', async () => {
    const heap = opened('heap', { selector: 'inuse_space:bytes{}' })
    await heap.run()
    expect(heap.stored).toEqual(['9 30000000000'])
    const perRequest = opened('heap-request', { selector: 'inuse_space:bytes{}', per: 'request' })
    await perRequest.run()
    expect(String(perRequest.errors[0])).toContain('the selected type is a state in ns; remove per: request')
  })

  it('records ledgers as histograms, which Prometheus reads as growing counts', async () => {
    const { recorder, rule, run, metrics, later, signal } = opened('ledger', { ledger: { operation: 'GET /search' } })
    await run()
    expect(metrics).toMatchObject([
      {
        resourceMetrics: [
          {
            scopeMetrics: [
              {
                metrics: [
                  {
                    name: 'cpu',
                    unit: 's',
                    histogram: {
                      aggregationTemporality: 1,
                      dataPoints: [
                        {
                          attributes: [
                            { key: 'service.version', value: { stringValue: '2' } },
                            { key: 'hearth.ledger.entry', value: { stringValue: 'lock' } },
                          ],
                          startTimeUnixNano: String(8n * MINUTE),
                          timeUnixNano: String(9n * MINUTE),
                          count: '4',
                          sum: 2,
                          bucketCounts: ['1', '0', '0', '0', '0', '0', '0', '0', '0', '3', '0', '0', '0', '0'],
                        },
                      ],
                    },
                  },
                ],
              },
            ],
          },
        ],
      },
    ])
    later(60_000)
    await run()
    const text = prometheusText(recorder.latest('default'))
    expect(text).toContain('# TYPE cpu histogram')
    const of = 'service_version="2",hearth_ledger_entry="lock"'
    expect(text).toContain(`cpu_bucket{${of},le="0.001"} 2\n`)
    expect(text).toContain(`cpu_bucket{${of},le="1"} 8\n`)
    expect(text).toContain(`cpu_bucket{${of},le="+Inf"} 8\ncpu_sum{${of}} 4\ncpu_count{${of}} 8\n`)
    const { unit, points } = await recorder.preview('default', rule, 0n, 60n * MINUTE, signal)
    expect([unit, points.length, points[0].value]).toEqual(['s', 60, 0.5])
    // Points of the past are no new requests.
    await recorder.backfill('default', rule, 0n, signal)
    expect(prometheusText(recorder.latest('default'))).toBe(text)
  })

  it('rejects rules that have both a selector and a ledger, or neither', () => {
    const parse = (rule: object) => () => recordingRule.parse({ name: 'x', ...rule })
    expect(parse({})).toThrow('either a selector or a ledger')
    expect(parse({ selector: 'cpu', ledger: { operation: 'a' } })).toThrow('either a selector or a ledger')
    expect(parse({ per: 'core', ledger: { operation: 'a' } })).toThrow('per is for selectors')
  })
})

describe('RuleStore', () => {
  const file = join(directory, 'rules.yaml')
  const open = (): RuleStore =>
    new RuleStore({
      files: new StateFiles(directory, 'rules', storedRules),
      file,
      defaultTenant: 'default',
      onError: () => {},
    })

  it('keeps rules of the file and of the API apart', async () => {
    writeFileSync(
      file,
      'recording: [{ name: a, selector: "cpu:ns{}" }]\ntenants: { other: { recording: [{ name: b, selector: "cpu:ns{}" }] } }',
    )
    const store = open()
    await store.put('default', 'recording', { name: 'c', selector: 'cpu:ns{}' })
    expect(
      open()
        .list('default', 'recording')
        .map(({ name, source }) => `${name} ${source}`),
    ).toEqual(['a file', 'c api'])
    expect(store.list('other', 'recording')).toHaveLength(1)
    expect(store.tenants().toSorted()).toEqual(['default', 'other'])
    await expect(store.put('default', 'recording', { name: 'a', selector: 'cpu:ns{}' })).rejects.toThrow(
      'change it there',
    )
    await expect(store.remove('default', 'recording', 'a')).rejects.toThrow('remove it there')
    // A rule of the file hides one of the API that was there before.
    writeFileSync(file, 'recording: [{ name: c, selector: "wall:ns{}" }]')
    expect(open().list('default', 'recording')).toMatchObject([{ name: 'c', selector: 'wall:ns{}', source: 'file' }])
    expect([await store.remove('default', 'recording', 'c'), await store.remove('default', 'recording', 'c')]).toEqual([
      true,
      false,
    ])
  })

  it('names the invalid part of the file', () => {
    writeFileSync(file, 'alerts: [{ name: x, condition: { kind: metric } }]')
    expect(open).toThrow(/rules\.yaml: alerts\.0\.condition\.metric/)
    writeFileSync(file, 'alerts: [{ name: x, condition: { kind: metric, metric: m } }]')
    expect(open).toThrow(/rules\.yaml: alerts\.0: test is missing/)
    writeFileSync(file, 'recording: [{ name: a, selector: "cpu:ns{}" }, { name: a, selector: "cpu:ns{}" }]')
    expect(open).toThrow(/rules\.yaml: recording: two entries have the name a/)
  })
})

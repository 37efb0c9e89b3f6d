// `inspect`, `validate` and `convert` with files of traces, logs and metrics.
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { logs, metrics, traces } from '@hearth/signals'
import { describe, expect, it, test } from 'vitest'
import { exampleFiles } from '../../testing/example-profiles.ts'
import { expectGolden } from '../../testing/golden.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const file = exampleFiles()
const START = '1700000000000000000'
const END = '1700000001500000000'
const TRACE = '0af7651916cd43dd8448eb211c80319c'

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }], droppedAttributesCount: 1 }
const span = (spanId: string, name: string, more: object = {}): object => ({
  traceId: TRACE,
  spanId,
  name,
  startTimeUnixNano: START,
  endTimeUnixNano: END,
  flags: 0x301,
  traceState: 'vendor=1',
  ...more,
})
const FILES = {
  'traces.otlp.json': {
    resourceSpans: [
      {
        resource,
        scopeSpans: [
          {
            scope: { name: 'http', version: '1.2' },
            spans: [
              span('b7ad6b7169203331', 'GET /', { kind: 2, droppedEventsCount: 3, status: {} }),
              span('b7ad6b7169203332', 'SELECT', {
                parentSpanId: 'b7ad6b7169203331',
                status: { code: 2, message: 'timeout' },
                links: [{ traceId: TRACE, spanId: 'b7ad6b7169203331', traceState: 'a=b', flags: 1 }],
                events: [{ timeUnixNano: START, name: 'retry', droppedAttributesCount: 2 }],
              }),
              span('b7ad6b7169203333', 'SELECT', {
                attributes: [{ key: 'n', value: { intValue: '9007199254740993' } }],
              }),
            ],
          },
        ],
        schemaUrl: 'https://opentelemetry.io/schemas/1.30.0',
      },
    ],
  },
  'logs.otlp.json': {
    resourceLogs: [
      {
        resource,
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: START,
                severityNumber: 9,
                severityText: 'INFO',
                body: { stringValue: 'begin' },
                flags: 1,
              },
              { observedTimeUnixNano: END, severityNumber: 17, body: { kvlistValue: {} }, traceId: TRACE },
            ],
          },
        ],
      },
    ],
  },
  'metrics.otlp.json': {
    resourceMetrics: [
      {
        resource,
        scopeMetrics: [
          {
            metrics: [
              {
                name: 'requests',
                unit: '{request}',
                sum: {
                  aggregationTemporality: 2,
                  isMonotonic: true,
                  dataPoints: [
                    { timeUnixNano: END, asInt: '18' },
                    { timeUnixNano: END, flags: 1 },
                  ],
                },
              },
              { name: 'heap', unit: 'By', gauge: { dataPoints: [{ timeUnixNano: START, asDouble: 0 }] } },
              {
                name: 'latency',
                unit: 's',
                histogram: {
                  aggregationTemporality: 1,
                  dataPoints: [
                    { timeUnixNano: END, count: '3', bucketCounts: ['1', '1'], explicitBounds: [0.5], sum: 0 },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  },
}
const CODECS = { traces, logs, metrics } as const
const SIGNALS = ['traces', 'logs', 'metrics'] as const
for (const [name, content] of Object.entries(FILES)) writeFileSync(file(name), JSON.stringify(content))

describe('the output of', () => {
  test.each([
    'inspect traces.otlp.json',
    'inspect logs.otlp.json',
    'inspect metrics.otlp.json',
    'validate --strict traces.otlp.json',
    'validate metrics.otlp.json',
  ])('%s', async commandLine => {
    await expectGolden(commandLine, file)
  })
})

describe('inspect', () => {
  it('prints the keys that scripts rely on', async () => {
    const { stdout } = await runHearth(['inspect', '--json', file('traces.otlp.json')])
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'otlp-json',
      signal: 'traces',
      compression: 'none',
      messages: 1,
      counts: { spans: 3, traces: 1, roots: 2, errors: 1, events: 1, links: 1, droppedEvents: 3 },
      groups: [
        { name: 'SELECT', items: 2 },
        { name: 'GET /', items: 1 },
      ],
      firstUnixNano: START,
      lastUnixNano: END,
      resources: [{ attributes: { 'service.name': 'shop' } }],
      notes: [],
    })
  })
})

describe('convert', () => {
  test.each(SIGNALS)('writes %s as protobuf and back as JSON, equal to the input', async signal => {
    const source = file(`${signal}.otlp.json`)
    const binary = file(`${signal}.otlp.gz`)
    const again = file(`${signal}-again.json`)
    expect(await runHearth(['convert', '--strict', source, '-o', binary])).toMatchObject({ status: 0, stderr: '' })
    expect(await runHearth(['convert', '--strict', '--pretty', binary, '-o', again])).toMatchObject({ status: 0 })
    const { decode, decodeJson } = CODECS[signal]
    const content = decodeJson(readFileSync(source))
    expect(decode(gunzipSync(readFileSync(binary)))).toEqual(content)
    expect(decodeJson(readFileSync(again))).toEqual(content)
    const json = JSON.parse(readFileSync(again, 'utf8')) as object
    expect(json).toEqual(FILES[`${signal}.otlp.json`])
    expect((await runHearth(['inspect', binary])).stdout).toContain(`${signal}.otlp.gz: otlp ${signal}, `)
    const twice = await runHearth(['convert', binary, source, '-o', '-', '--to', 'otlp'])
    expect(Buffer.from(twice.bytes)).toEqual(
      Buffer.concat([gunzipSync(readFileSync(binary)), gunzipSync(readFileSync(binary))]),
    )
  })

  it('reports dropped fields, and writes nothing with --strict', async () => {
    writeFileSync(file('newer.otlp.json'), '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"new":1}]}]}]}')
    const strict = await runHearth(['convert', '--strict', file('newer.otlp.json'), '-o', file('newer.otlp')])
    expect([strict.status, strict.stderr]).toEqual([
      1,
      expect.stringContaining('1 × unknown-fields: unknown members of JSON'),
    ])
  })

  test.each([
    [['traces.otlp.json', '-o', 'out.folded'], 'traces cannot be written as "folded"'],
    [['traces.otlp.json', '-o', 'out.otlp', '--to', 'pprof'], '--to: traces cannot be written as "pprof"'],
    [['traces.otlp.json', 'logs.otlp.json', '-o', 'out.otlp'], 'contains logs: they cannot become one file'],
    [['logs.otlp.json', 'before.otlp', '-o', 'out.otlp'], 'contains profiles: they cannot become one file'],
    [['logs.otlp.json', '-o', 'out.otlp', '--type', 'cpu'], '--type is for profiles, not for logs'],
  ])('rejects %s', async (words, message) => {
    const argv = words.map(word => (/\.\w/.test(word) ? file(word) : word))
    const { status, stderr } = await runHearth(['convert', ...argv])
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('validate', () => {
  it('reports a file that cannot be decoded, with the path', async () => {
    const text = JSON.stringify(FILES['logs.otlp.json']).replace('"severityNumber":17', '"severityNumber":"high"')
    writeFileSync(file('broken.otlp.json'), text)
    const { stdout, status } = await runHearth(['validate', '--json', file('broken.otlp.json')])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, problems: [{ rule: 'decodable', level: 'must' }] })
  })

  it('lists the rules of all signals', async () => {
    const { stdout } = await runHearth(['validate', '--rules', '--json'])
    const { rules } = JSON.parse(stdout) as { readonly rules: readonly { readonly id: string }[] }
    expect(rules.map(({ id }) => id)).toEqual(expect.arrayContaining(['sample-shape', 'span-trace-id', 'point-time']))
  })
})

describe('commands about profiles', () => {
  test.each(['top', 'flame', 'merge'])('%s rejects traces by name', async command => {
    const output = command === 'merge' ? ['-o', file('merged.otlp')] : []
    const { status, stderr } = await runHearth([command, file('traces.otlp.json'), ...output])
    expect([status, stderr]).toEqual([1, expect.stringContaining('traces.otlp.json: contains traces, not profiles')])
  })
})

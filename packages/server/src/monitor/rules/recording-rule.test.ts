import { expect, it } from 'vitest'
import { metricsJson, prometheusText, recordingRule } from './recording-rule.ts'

const rule = recordingRule.parse({
  name: 'gc.cores',
  selector: 'cpu:ns{} | frame "gc"',
  groupBy: ['service.name'],
  labels: { team: 'core' },
})
const points = [{ labels: { 'service.name': 'a"b\\c' }, time: 60_000_000_000n, value: 0.25 }]

it('prometheusText escapes names and values', () => {
  expect(prometheusText([{ rule, points }])).toBe(
    '# HELP gc_cores cpu:ns{} | frame "gc"\n# TYPE gc_cores gauge\n' +
      String.raw`gc_cores{service_name="a\"b\\c",team="core"} 0.25 60000` +
      '\n',
  )
  expect(prometheusText([])).toBe('')
})

it('metricsJson is a gauge whose points cover the interval', () => {
  expect(metricsJson(rule, { unit: 'cores', points }, 60_000_000_000n)).toMatchObject({
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              {
                name: 'gc.cores',
                unit: 'cores',
                gauge: { dataPoints: [{ startTimeUnixNano: '0', timeUnixNano: '60000000000', asDouble: 0.25 }] },
              },
            ],
          },
        ],
      },
    ],
  })
})

import { describe, expect, test } from 'vitest'
import { Metrics } from './metrics.ts'

describe('Metrics.client', () => {
  test('returns product and version', () => {
    const metrics = new Metrics()
    expect(metrics.client('OTel-OTLP-Exporter-JavaScript/0.223.0')).toBe('OTel-OTLP-Exporter-JavaScript/0.223.0')
    expect(metrics.client('OpenTelemetry Collector/0.139.0 (linux/amd64)')).toBe('OpenTelemetry Collector/0.139.0')
    expect(metrics.client('grpc-node-js/1.14.7 (x)')).toBe('grpc-node-js/1.14.7')
    expect(metrics.client('OTel OTLP Exporter Go/1.38.0 grpc-go/1.75.0')).toBe('OTel OTLP Exporter Go/1.38.0')
    expect(metrics.client('something else')).toBe('something')
    expect(metrics.client('')).toBe('unknown')
    expect(metrics.client(' (only a comment)')).toBe('unknown')
    expect(metrics.client('x'.repeat(1000))).toHaveLength(64)
  })

  test('returns at most a hundred names, so that senders cannot create labels without limit', async () => {
    const metrics = new Metrics()
    for (let i = 0; i < 1000; i++)
      metrics.generations.inc({ generation: 'v1.11', client: metrics.client(`client/${i}`) })
    expect(metrics.client('client/5')).toBe('client/5')
    const lines = (await metrics.text())
      .split('\n')
      .filter(line => line.startsWith('hearth_profile_generations_total{'))
    expect(lines).toHaveLength(101)
    expect(lines).toContain('hearth_profile_generations_total{generation="v1.11",client="other"} 900')
  })
})

test('Metrics escapes label values', async () => {
  const metrics = new Metrics()
  metrics.generations.inc({ generation: 'v1.9', client: metrics.client('a"b\\c}') })
  expect(await metrics.text()).toContain('client="a\\"b\\\\c}"} 1')
})

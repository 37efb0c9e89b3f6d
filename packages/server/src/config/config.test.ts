import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'
import { retention, retentionText } from './retention.ts'
import { duration, size } from './setting-values.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-config-'))
afterAll(() => rmSync(directory, { recursive: true }))

function file(text: string): string {
  const path = join(directory, 'hearth.yaml')
  writeFileSync(path, text)
  return path
}

describe('loadConfig', () => {
  test('has a value for everything without being told anything', () => {
    const config = loadConfig({ flags: {}, env: {} })
    expect(config.host).toBe('127.0.0.1')
    expect(config['commit-window']).toBe(100)
    expect(config.store).toBeUndefined()
    expect(config.retention.profiles).toEqual({ ageMs: 30 * 86_400_000 })
  })

  test.each(['./a*b', '/data/{x}', '/data/what?', '/data/a::b'])('data cannot be in %s', data => {
    expect(() => loadConfig({ flags: { data }, env: {} })).toThrow(/data: the path .* must have none of/)
    expect(loadConfig({ flags: { data, store: 'clickhouse://localhost' }, env: {} }).data).toBe(data)
  })

  test('a flag beats the environment beats the file', () => {
    const path = file('port: 1\notlp-http-port: 2\notlp-grpc-port: 3\n')
    const env = { HEARTH_PORT: '10', HEARTH_OTLP_HTTP_PORT: '20' }
    const config = loadConfig({ flags: { port: '100' }, env, file: path })
    expect([config.port, config['otlp-http-port'], config['otlp-grpc-port']]).toEqual([100, 20, 3])
  })

  test.each([
    ['port: x', /hearth\.yaml line 1: 'x' is not a port/],
    ['host: a\n\nmax_body: 1MiB', /line 3: there is no setting 'max_body'; 'max-body' is meant\?/],
    ['host: [', /line 1|line 2/],
    ['host:\n', /line 1: the value is missing/],
    ['- a', /must be a list of settings/],
    ['tls-cert: a', /tls-cert and tls-key belong together/],
    ['port: 4317', /must differ/],
    ['retention: profiles=1m', /an hour is the least/],
  ])('%j is refused with its place', (text, message) => {
    expect(() => loadConfig({ flags: {}, env: {}, file: file(text) })).toThrow(message)
  })

  test('names the flag or the variable whose value is wrong', () => {
    expect(() => loadConfig({ flags: { 'max-body': '10' }, env: {} })).toThrow(/^--max-body: '10' is not a size/)
    expect(() => loadConfig({ flags: {}, env: { HEARTH_DURABLE: 'maybe' } })).toThrow(
      /^HEARTH_DURABLE: 'maybe' is neither/,
    )
    expect(() => loadConfig({ flags: {}, env: {}, file: join(directory, 'none') })).toThrow(/none: no such file/)
  })

  test('a mapping and a list in the file read like their texts', () => {
    const path = file('retention:\n  profiles: 7d,1GiB\n  logs: 2d\ncors-origins: [http://a, http://b]\n')
    const config = loadConfig({ flags: {}, env: {}, file: path })
    const month = { ageMs: 30 * 86_400_000 }
    expect(config.retention).toEqual({
      profiles: { ageMs: 604_800_000, bytes: 2 ** 30 },
      logs: { ageMs: 172_800_000 },
      traces: month,
      metrics: month,
    })
    expect(config['cors-origins']).toEqual(['http://a', 'http://b'])
  })

  test('limits of a tenant', () => {
    expect(loadConfig({ flags: {}, env: {} })['tenant-limits']).toEqual({})
    const path = file('tenant-limits:\n  shop:\n    timeout: 1m\n    memory: 2GiB\n  lab: slots:2,queue:0\n')
    const limits = { shop: { seconds: 60, memoryBytes: 2 ** 31 }, lab: { running: 2, waiting: 0 } }
    expect(loadConfig({ flags: {}, env: {}, file: path })['tenant-limits']).toEqual(limits)
    const flags = { 'tenant-limits': 'a.b=rows:5,nodes:6,export-samples:7' }
    const counts = { 'a.b': { rows: 5, nodes: 6, exportSamples: 7 } }
    expect(loadConfig({ flags, env: {} })['tenant-limits']).toEqual(counts)
    for (const [text, message] of [
      ['shop', /'shop' names no limit/],
      ['shop=', /'shop=' names no limit/],
      ['sh/op=slots:1', /'sh\/op' is no tenant/],
      ['shop=slot:1', /'slot' is none of timeout, memory/],
      ['shop=slots:0', /'0' is too little/],
      ['shop=memory:5', /'5' is not a size/],
      ['shop=slots:1 shop=queue:1', /'shop' is there twice/],
    ] as const)
      expect(() => loadConfig({ flags: { 'tenant-limits': text }, env: {} })).toThrow(message)
    expect(() => loadConfig({ flags: { 'query-slots': '0' }, env: {} })).toThrow(/^--query-slots: '0' is too little/)
  })
})

describe('values', () => {
  test('durations and sizes', () => {
    expect([duration('100ms'), duration('1.5s'), duration('2w')]).toEqual([100, 1500, 1_209_600_000])
    expect([size('64MiB'), size('1.5kB'), size('3B')]).toEqual([67_108_864, 1500, 3])
    expect(() => duration('5')).toThrow(/not a duration/)
    expect(() => size('5')).toThrow(/not a size/)
  })

  test('retention for one signal, for all, and as text again', () => {
    expect(retention('2d')).toEqual(retention('profiles=2d traces=2d logs=2d metrics=2d'))
    const some = retention('profiles=36h,50GiB traces=forever')
    expect(some).toEqual({ profiles: { ageMs: 129_600_000, bytes: 50 * 2 ** 30 }, traces: {} })
    expect(retention(retentionText(some))).toEqual(some)
    expect(() => retention('profile=2d')).toThrow(/none of profiles/)
    expect(() => retention(' ')).toThrow(/must say what to keep/)
  })
})

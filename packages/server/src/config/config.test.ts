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
  test('provides a default for every setting', () => {
    const config = loadConfig({ flags: {}, env: {} })
    expect(config.host).toBe('127.0.0.1')
    expect(config['commit-window']).toBe(100)
    expect(config.store).toBeUndefined()
    expect(config.retention.profiles).toEqual({ ageMs: 30 * 86_400_000 })
  })

  test.each(['./a*b', '/data/{x}', '/data/what?', '/data/a::b'])('rejects the data directory %s', data => {
    expect(() => loadConfig({ flags: { data }, env: {} })).toThrow(/data: the path .* must not contain/)
    expect(loadConfig({ flags: { data, store: 'clickhouse://localhost' }, env: {} }).data).toBe(data)
  })

  test('prefers flags over the environment over the file', () => {
    const path = file('port: 1\notlp-http-port: 2\notlp-grpc-port: 3\n')
    const env = { HEARTH_PORT: '10', HEARTH_OTLP_HTTP_PORT: '20' }
    const config = loadConfig({ flags: { port: '100' }, env, file: path })
    expect([config.port, config['otlp-http-port'], config['otlp-grpc-port']]).toEqual([100, 20, 3])
  })

  test('ignores the address of a service named hearth, which Kubernetes puts in the variable of the port', () => {
    const env = { HEARTH_PORT: 'tcp://10.96.0.12:4040', HEARTH_PORT_4040_TCP: 'tcp://10.96.0.12:4040' }
    expect(loadConfig({ flags: {}, env }).port).toBe(4040)
    expect(() => loadConfig({ flags: {}, env: { HEARTH_PORT: 'http' } })).toThrow(/^HEARTH_PORT: 'http' is not a port/)
  })

  test.each([
    ['port: x', /hearth\.yaml line 1: 'x' is not a port/],
    ['host: a\n\nmax_body: 1MiB', /line 3: unknown setting 'max_body'; did you mean 'max-body'\?/],
    ['host: [', /line 1|line 2/],
    ['host:\n', /line 1: the value is missing/],
    ['- a', /expected a mapping of settings/],
    ['tls-cert: a', /tls-cert and tls-key require each other/],
    ['port: 4317', /must differ/],
    ['retention: profiles=1m', /the minimum is 1h/],
  ])('rejects %j with its position', (text, message) => {
    expect(() => loadConfig({ flags: {}, env: {}, file: file(text) })).toThrow(message)
  })

  test('names the flag or the variable with an invalid value', () => {
    expect(() => loadConfig({ flags: { 'max-body': '10' }, env: {} })).toThrow(/^--max-body: '10' is not a size/)
    expect(() => loadConfig({ flags: {}, env: { HEARTH_DURABLE: 'maybe' } })).toThrow(
      /^HEARTH_DURABLE: 'maybe' is neither/,
    )
    expect(() => loadConfig({ flags: {}, env: {}, file: join(directory, 'none') })).toThrow(/none: no such file/)
  })

  test('reads mappings and lists in the file like their text form', () => {
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

  test('reads and checks tenant limits', () => {
    expect(loadConfig({ flags: {}, env: {} })['tenant-limits']).toEqual({})
    const path = file('tenant-limits:\n  shop:\n    timeout: 1m\n    memory: 2GiB\n  lab: slots:2,queue:0\n')
    const limits = { shop: { seconds: 60, memoryBytes: 2 ** 31 }, lab: { running: 2, waiting: 0 } }
    expect(loadConfig({ flags: {}, env: {}, file: path })['tenant-limits']).toEqual(limits)
    const flags = { 'tenant-limits': 'a.b=rows:5,nodes:6,export-samples:7' }
    const counts = { 'a.b': { rows: 5, nodes: 6, exportSamples: 7 } }
    expect(loadConfig({ flags, env: {} })['tenant-limits']).toEqual(counts)
    for (const [text, message] of [
      ['shop', /'shop' has no limits/],
      ['shop=', /'shop=' has no limits/],
      ['sh/op=slots:1', /'sh\/op' is not a valid tenant name/],
      ['shop=slot:1', /unknown limit 'slot'; expected one of timeout, memory/],
      ['shop=slots:0', /'0' is too small; the minimum is 1/],
      ['shop=memory:5', /'5' is not a size/],
      ['shop=slots:1 shop=queue:1', /duplicate tenant 'shop'/],
    ] as const)
      expect(() => loadConfig({ flags: { 'tenant-limits': text }, env: {} })).toThrow(message)
    expect(() => loadConfig({ flags: { 'query-slots': '0' }, env: {} })).toThrow(/^--query-slots: '0' is too small/)
  })
})

describe('setting values', () => {
  test('duration and size read numbers with a unit', () => {
    expect([duration('100ms'), duration('1.5s'), duration('2w')]).toEqual([100, 1500, 1_209_600_000])
    expect([size('64MiB'), size('1.5kB'), size('3B')]).toEqual([67_108_864, 1500, 3])
    expect(() => duration('5')).toThrow(/not a duration/)
    expect(() => size('5')).toThrow(/not a size/)
  })

  test('retention reads one signal or all, and retentionText writes it', () => {
    expect(retention('2d')).toEqual(retention('profiles=2d traces=2d logs=2d metrics=2d'))
    const some = retention('profiles=36h,50GiB traces=forever')
    expect(some).toEqual({ profiles: { ageMs: 129_600_000, bytes: 50 * 2 ** 30 }, traces: {} })
    expect(retention(retentionText(some))).toEqual(some)
    expect(() => retention('profile=2d')).toThrow(/unknown signal 'profile'; expected one of profiles/)
    expect(() => retention(' ')).toThrow(/retention is empty/)
  })
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configure } from './configure.ts'
import { parseEntries } from './entry-list.ts'
import type { Variables } from './environment.ts'
import type { Configuration, Settings } from './options.ts'

function configured(variables: Variables, options: Settings = {}): { config: Configuration; problems: string[] } {
  const problems: string[] = []
  return { config: configure(options, variables, problem => problems.push(problem)), problems }
}

const urlOf = (variables: Variables, options: Settings = {}): string =>
  configured(variables, options).config.destination.url.href

describe('the Broker', () => {
  test('is configured only if an endpoint is given', () => {
    expect(configured({ HEARTH_BROKER_TOKEN: 'x' }).config.broker).toBeUndefined()
    expect(configured({ HEARTH_BROKER_ENDPOINT: ' ' }).config.broker).toBeUndefined()
  })

  test('comes from the environment, and options override it', () => {
    const variables = { HEARTH_BROKER_ENDPOINT: 'a:1', HEARTH_BROKER_TOKEN: 't', HEARTH_BROKER_PLATFORM: 'p' }
    expect(configured(variables).config.broker).toEqual({ address: 'a:1', token: 't', platform: 'p' })
    const options = { brokerEndpoint: 'https://b:2', brokerToken: 'u' }
    expect(configured(variables, options).config.broker).toEqual({ address: 'https://b:2', token: 'u', platform: 'p' })
    expect(configured({ HEARTH_BROKER_ENDPOINT: 'a:1' }).config.broker).toEqual({
      address: 'a:1',
      token: '',
      platform: 'default',
    })
  })
})

describe('endpoints', () => {
  test.each([
    [{}, 'http://127.0.0.1:4318/v1development/profiles'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1' }, 'http://a:1/v1development/profiles'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a:1/prefix/' }, 'https://a:1/prefix/v1development/profiles'],
    [{ OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: 'http://b:2' }, 'http://b:2/'],
    [{ OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: 'http://b:2/x' }, 'http://b:2/x'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1', OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: 'http://b:2/x' },
      'http://b:2/x',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1', OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: ' ' },
      'http://a:1/v1development/profiles',
    ],
  ])('for HTTP come from %j', (variables, url) => {
    expect(urlOf(variables)).toBe(url)
  })

  test.each([
    [{}, 'http://127.0.0.1:4317/'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1' }, 'http://a:1/'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'a:1' }, 'https://a:1/'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'a:1', OTEL_EXPORTER_OTLP_INSECURE: 'true' }, 'http://a:1/'],
  ])('for gRPC come from %j', (variables, url) => {
    expect(urlOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', ...variables })).toBe(url)
  })

  test('in options get a path only if they have none', () => {
    const variables = { OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: 'http://b:2/x' }
    expect(urlOf(variables, { endpoint: 'http://c:3' })).toBe('http://c:3/v1development/profiles')
    expect(urlOf(variables, { endpoint: 'http://c:3/own' })).toBe('http://c:3/own')
  })

  test.each(['not a url', 'ftp://a:1', 'http://', '4318', 'localhost:4318'])(
    'that are invalid are reported: %s',
    OTEL_EXPORTER_OTLP_ENDPOINT => {
      const { config, problems } = configured({ OTEL_EXPORTER_OTLP_ENDPOINT })
      expect(config.destination.url.href).toBe('http://127.0.0.1:4318/v1development/profiles')
      expect(problems).toEqual([expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL')])
    },
  )
})

describe('resource and headers', () => {
  test('are decoded, and the most specific name wins', () => {
    const variables = {
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=listed, deployment.environment.name = pro%2Cd ,k%3D1=v%20%C3%A4',
      OTEL_SERVICE_NAME: 'named',
    }
    const { config, problems } = configured(variables)
    expect(config.serviceName).toBe('named')
    expect([...config.resourceAttributes]).toEqual([
      ['deployment.environment.name', 'pro,d'],
      ['k=1', 'v ä'],
    ])
    expect(configured({ ...variables, OTEL_SERVICE_NAME: '' }).config.serviceName).toBe('listed')
    const coded = configured(variables, { resourceAttributes: { 'service.name': 'coded', 'k=1': 7 } }).config
    expect(coded.serviceName).toBe('coded')
    expect(coded.resourceAttributes.get('k=1')).toBe(7)
    expect(
      configured(variables, { serviceName: 'first', resourceAttributes: { 'service.name': 'coded' } }).config,
    ).toMatchObject({
      serviceName: 'first',
    })
    expect(problems).toEqual([])
  })

  test('an invalid list is dropped entirely', () => {
    for (const list of ['a=1,b', 'a=1,b=%zz', 'a=1,=2']) {
      const { config, problems } = configured({ OTEL_RESOURCE_ATTRIBUTES: list })
      expect(config.resourceAttributes.size).toBe(0)
      expect(problems).toHaveLength(1)
    }
  })

  test('headers come from the list of the signal, have lower-case names, and are skipped if they cannot be sent', () => {
    const { config, problems } = configured(
      {
        OTEL_EXPORTER_OTLP_HEADERS: 'general=1',
        OTEL_EXPORTER_OTLP_PROFILES_HEADERS: 'Authorization=Bearer%20a%3Db,bad%20name=x,evil=a%0d%0ab,other=1',
      },
      { headers: { Other: '2' } },
    )
    expect(config.destination.headers).toEqual({ authorization: 'Bearer a=b', other: '2' })
    expect(problems).toHaveLength(2)
    expect(problems.join()).not.toContain('Bearer')
  })

  test('entries decode to what was encoded', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), entries => {
        const list = entries.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join(',')
        expect([...parseEntries(list)]).toEqual([...new Map(entries)])
      }),
    )
  })
})

describe('other settings', () => {
  test('come from the environment', () => {
    const { config, problems } = configured({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL: 'HTTP/protobuf',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
      OTEL_EXPORTER_OTLP_PROFILES_TIMEOUT: '2s',
      HEARTH_PROFILE_TYPES: 'wall, cpu',
      HEARTH_SAMPLE_RATE_HZ: '19',
      HEARTH_EXPORT_INTERVAL: '1m',
      HEARTH_OUTPUT: 'out/',
      HEARTH_RING_SECONDS: '0',
      HEARTH_SPAN_ATTRIBUTES: 'http.route,, enduser.id',
      HEARTH_BAGGAGE_KEYS: 'tenant',
    })
    expect(problems).toEqual([])
    expect(config).toMatchObject({
      disabled: false,
      kinds: ['cpu', 'wall'],
      sampleRateHz: 19,
      exportIntervalMillis: 60_000,
      output: 'out/',
      ringSeconds: 0,
      spanAttributes: ['http.route', 'enduser.id'],
      baggageKeys: ['tenant'],
      sourceMaps: true,
    })
    expect(config.destination).toMatchObject({ protocol: 'http/protobuf', compression: 'zstd', timeoutMillis: 2000 })
  })

  test('come from options first', () => {
    const { config, problems } = configured(
      { HEARTH_SAMPLE_RATE_HZ: '19', HEARTH_PROFILE_TYPES: 'heap', OTEL_EXPORTER_OTLP_COMPRESSION: 'none' },
      { sampleRateHz: 50, kinds: ['wall'], compression: 'gzip', disabled: false },
    )
    expect(config).toMatchObject({ sampleRateHz: 50, kinds: ['wall'] })
    expect(config.destination.compression).toBe('gzip')
    expect(problems).toEqual([])
  })

  test('disable the agent by either variable, and only if it is "true"', () => {
    expect(configured({ OTEL_SDK_DISABLED: 'TRUE' }).config.disabled).toBe(true)
    expect(configured({ HEARTH_AGENT_DISABLED: 'true' }).config.disabled).toBe(true)
    const { config, problems } = configured({ OTEL_SDK_DISABLED: '1' })
    expect(config.disabled).toBe(false)
    expect(problems).toEqual([expect.stringContaining('OTEL_SDK_DISABLED is neither true nor false')])
  })

  test('replace zstd with gzip for gRPC', () => {
    const { config, problems } = configured({}, { protocol: 'grpc', compression: 'zstd' })
    expect(config.destination.compression).toBe('gzip')
    expect(problems).toHaveLength(1)
  })

  test('have their default if a value is invalid, and report it', () => {
    const defaults = configured({}).config
    const { config, problems } = configured({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'carrier/pigeon',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'br',
      OTEL_EXPORTER_OTLP_TIMEOUT: '-1',
      HEARTH_PROFILE_TYPES: 'disk',
      HEARTH_SAMPLE_RATE_HZ: '1e9',
      HEARTH_EXPORT_INTERVAL: 'soon',
      HEARTH_RING_SECONDS: 'NaN',
      HEARTH_SOURCE_MAPS: 'perhaps',
    })
    expect(config).toEqual(defaults)
    // The kinds cause two problems: one is unknown, and none is left.
    expect(problems).toHaveLength(9)
    const odd = {
      sampleRateHz: Number.NaN,
      exportIntervalMillis: -5,
      protocol: 'x',
      kinds: ['y'],
    } as unknown as Settings
    const coded = configured({}, odd)
    expect(coded.config).toEqual(defaults)
    expect(coded.problems).toHaveLength(4)
  })

  test('never throw, whatever the environment contains', () => {
    const names = [
      ...['ENDPOINT', 'HEADERS', 'PROTOCOL', 'COMPRESSION', 'TIMEOUT', 'INSECURE'].map(
        name => `OTEL_EXPORTER_OTLP_${name}`,
      ),
      ...['PROFILE_TYPES', 'SAMPLE_RATE_HZ', 'EXPORT_INTERVAL', 'SPAN_ATTRIBUTES'].map(name => `HEARTH_${name}`),
      'OTEL_RESOURCE_ATTRIBUTES',
    ]
    const value = fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom('grpc', 'a=b', '%', '1s', '=,=', 'http://[::1'))
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), variables => {
        expect(configured(variables).config.destination.url.protocol).toMatch(/^https?:$/)
      }),
    )
  })
})

// Decides every setting: options override the environment, and the environment overrides the defaults. Nothing here throws. An
// invalid value is reported and replaced by its default.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { NumberRange, Variables } from './environment.ts'
import { Environment, faultIn } from './environment.ts'
import type { BrokerSettings, Settings, Configuration, Destination, ExportCompression, Protocol } from './options.ts'
import { COMPRESSIONS, DEFAULT_KINDS, KINDS, PROTOCOLS } from './options.ts'

const PROFILES_PATH = '/v1development/profiles'

const DEFAULTS = {
  exportIntervalMillis: 10_000,
  exitTimeoutMillis: 2000,
  timeoutMillis: 10_000,
  sampleRateHz: 100,
  heapIntervalBytes: 512 * 1024,
  ringSeconds: 60,
} as const

/** With less than 1 ms between samples, the profiler would mostly sample itself. */
export const SAMPLE_RATE_BOUNDS: NumberRange = { min: 1, max: 1000 }

const RANGES: Readonly<Record<keyof typeof DEFAULTS, NumberRange>> = {
  exportIntervalMillis: { min: 100, max: 3_600_000 },
  exitTimeoutMillis: { min: 0, max: 60_000 },
  timeoutMillis: { min: 1, max: 3_600_000 },
  sampleRateHz: SAMPLE_RATE_BOUNDS,
  heapIntervalBytes: { min: 1024, max: 2 ** 30 },
  ringSeconds: { min: 0, max: 3600 },
}

const OTLP = 'OTEL_EXPORTER_OTLP_'
const PROFILES = 'OTEL_EXPORTER_OTLP_PROFILES_'

export function configure(
  options: Settings,
  variables: Variables,
  onProblem: (problem: string) => void,
): Configuration {
  const environment = new Environment(variables, onProblem)
  const number = (key: keyof typeof DEFAULTS, ...names: readonly string[]): number => {
    const given = options[key]
    const fault = given === undefined ? undefined : faultIn(given, RANGES[key])
    if (given !== undefined && fault === undefined) return given
    const isTime = key.endsWith('Millis')
    const used = isTime
      ? environment.millis(RANGES[key], DEFAULTS[key], ...names)
      : environment.number(RANGES[key], DEFAULTS[key], ...names)
    if (fault !== undefined) onProblem(`${key} ${fault}; using ${used}`)
    return used
  }
  const isOn = (name: string): boolean => environment.oneOf(['true', 'false'], 'true', name) === 'true'
  const kinds = options.kinds?.filter(kind => known(kind, KINDS, 'kinds', onProblem) !== undefined) ?? []
  return {
    disabled:
      options.disabled ?? (environment.isTrue('OTEL_SDK_DISABLED') || environment.isTrue('HEARTH_AGENT_DISABLED')),
    ...resourceSettings(options, environment),
    destination: destinationOf(
      options,
      environment,
      number('timeoutMillis', `${PROFILES}TIMEOUT`, `${OTLP}TIMEOUT`),
      onProblem,
    ),
    output: options.output ?? environment.text('HEARTH_OUTPUT'),
    exportIntervalMillis: number('exportIntervalMillis', 'HEARTH_EXPORT_INTERVAL'),
    exitTimeoutMillis: number('exitTimeoutMillis', 'HEARTH_EXIT_TIMEOUT'),
    kinds: kinds.length > 0 ? kinds : environment.someOf(KINDS, DEFAULT_KINDS, 'HEARTH_PROFILE_TYPES'),
    sampleRateHz: number('sampleRateHz', 'HEARTH_SAMPLE_RATE_HZ'),
    heapIntervalBytes: number('heapIntervalBytes', 'HEARTH_HEAP_INTERVAL_BYTES'),
    ringSeconds: number('ringSeconds', 'HEARTH_RING_SECONDS'),
    sourceMaps: options.sourceMaps ?? isOn('HEARTH_SOURCE_MAPS'),
    timestamps: options.timestamps ?? isOn('HEARTH_SAMPLE_TIMESTAMPS'),
    spanAttributes: options.spanAttributes ?? environment.names('HEARTH_SPAN_ATTRIBUTES'),
    baggageKeys: options.baggageKeys ?? environment.names('HEARTH_BAGGAGE_KEYS'),
    broker: brokerOf(options, environment),
  }
}

function brokerOf(options: Settings, environment: Environment): BrokerSettings | undefined {
  const address = options.brokerEndpoint ?? environment.text('HEARTH_BROKER_ENDPOINT') ?? ''
  if (address === '') return undefined
  return {
    address,
    token: options.brokerToken ?? environment.text('HEARTH_BROKER_TOKEN') ?? '',
    platform: options.brokerPlatform ?? environment.text('HEARTH_BROKER_PLATFORM') ?? 'default',
  }
}

/** Options can come from untyped code. */
function known<T extends string>(
  given: T | undefined,
  values: readonly T[],
  name: string,
  onProblem: (problem: string) => void,
): T | undefined {
  if (given === undefined || values.includes(given)) return given
  onProblem(`${name}: '${String(given)}' is not one of ${values.join(', ')}; ignored`)
  return undefined
}

function resourceSettings(
  options: Settings,
  environment: Environment,
): Pick<Configuration, 'serviceName' | 'resourceAttributes'> {
  const attributes = new Map<string, string | number | boolean>(environment.entries('OTEL_RESOURCE_ATTRIBUTES'))
  const named = environment.text('OTEL_SERVICE_NAME')
  if (named !== undefined) attributes.set('service.name', named)
  for (const [key, value] of Object.entries(options.resourceAttributes ?? {})) attributes.set(key, value)
  if (options.serviceName !== undefined) attributes.set('service.name', options.serviceName)
  const serviceName = attributes.get('service.name')
  attributes.delete('service.name')
  return {
    serviceName: serviceName === undefined || serviceName === '' ? undefined : String(serviceName),
    resourceAttributes: attributes,
  }
}

function destinationOf(
  options: Settings,
  environment: Environment,
  timeoutMillis: number,
  onProblem: (problem: string) => void,
): Destination {
  const protocol =
    known(options.protocol, PROTOCOLS, 'protocol', onProblem) ??
    environment.oneOf(PROTOCOLS, 'http/protobuf', `${PROFILES}PROTOCOL`, `${OTLP}PROTOCOL`)
  const file = (name: string): string | undefined => environment.text(`${PROFILES}${name}`, `${OTLP}${name}`)
  return {
    url: endpointOf(options, environment, protocol, onProblem),
    headers: headersOf(options, environment, onProblem),
    protocol,
    compression: compressionOf(options, environment, protocol, onProblem),
    timeoutMillis,
    certificate: options.certificate ?? file('CERTIFICATE'),
    clientCertificate: options.clientCertificate ?? file('CLIENT_CERTIFICATE'),
    clientKey: options.clientKey ?? file('CLIENT_KEY'),
  }
}

function compressionOf(
  options: Settings,
  environment: Environment,
  protocol: Protocol,
  onProblem: (problem: string) => void,
): ExportCompression {
  const names = [`${PROFILES}COMPRESSION`, `${OTLP}COMPRESSION`]
  const compression =
    known(options.compression, COMPRESSIONS, 'compression', onProblem) ??
    environment.oneOf(COMPRESSIONS, 'gzip', ...names)
  if (compression !== 'zstd' || protocol !== 'grpc') return compression
  onProblem('few gRPC servers support compression zstd; using gzip')
  return 'gzip'
}

/** The option, then the signal's endpoint as it is, then the general endpoint with the signal's path for HTTP. */
function endpointOf(
  options: Settings,
  environment: Environment,
  protocol: Protocol,
  onProblem: (problem: string) => void,
): URL {
  const isGrpc = protocol === 'grpc'
  const fallback = new URL(isGrpc ? 'http://127.0.0.1:4317' : `http://127.0.0.1:4318${PROFILES_PATH}`)
  const insecure = environment.isTrue(`${PROFILES}INSECURE`) || environment.isTrue(`${OTLP}INSECURE`)
  const candidates: readonly (readonly [name: string, text: string | undefined, path: 'kept' | 'missing' | 'added'])[] =
    [
      ['endpoint', options.endpoint, 'missing'],
      [`${PROFILES}ENDPOINT`, environment.text(`${PROFILES}ENDPOINT`), 'kept'],
      [`${OTLP}ENDPOINT`, environment.text(`${OTLP}ENDPOINT`), 'added'],
    ]
  for (const [name, text, path] of candidates) {
    if (text === undefined || text === '') continue
    const url = urlOf(text, isGrpc, insecure)
    if (url === undefined) {
      onProblem(`${name} is not an http or https URL; using ${fallback.href}`)
      return fallback
    }
    if (!isGrpc && (path === 'added' || (path === 'missing' && url.pathname === '/')))
      url.pathname = `${url.pathname.replace(/\/+$/, '')}${PROFILES_PATH}`
    return url
  }
  return fallback
}

/** A gRPC endpoint may lack a scheme. It uses TLS then, unless `insecure` is set. */
function urlOf(text: string, isGrpc: boolean, insecure: boolean): URL | undefined {
  const whole = isGrpc && !text.includes('://') ? `${insecure ? 'http' : 'https'}://${text}` : text
  try {
    const url = new URL(whole)
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : undefined
  } catch {
    return undefined
  }
}

/** Lower-case names. The signal's list replaces the general one. Options override both. */
function headersOf(
  options: Settings,
  environment: Environment,
  onProblem: (problem: string) => void,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  const listed = environment.entries(`${PROFILES}HEADERS`, `${OTLP}HEADERS`)
  for (const [name, value] of [...listed, ...Object.entries(options.headers ?? {})]) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      headers[name.toLowerCase()] = value
    } catch {
      onProblem(`the header ${JSON.stringify(name)} cannot be sent; skipped`)
    }
  }
  return headers
}

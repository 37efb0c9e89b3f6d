// The environment of a recorded program: Node loads the agent, and the agent reads its settings from variables. Variables of
// other signals, such as the endpoint of traces, stay unchanged.
import type { Terminal } from '../terminal/terminal.ts'

export type Environment = NonNullable<Terminal['env']>

export const PROFILE_KINDS = ['cpu', 'wall', 'heap', 'events'] as const
export type ProfileKind = (typeof PROFILE_KINDS)[number]

export interface AgentSettings {
  /** The module that starts the agent, as a file URL, which resolves from everywhere. */
  readonly register: string
  readonly service: string
  /** The address for OTLP over HTTP. */
  readonly to?: string | undefined
  /** A file or directory, instead of an address. */
  readonly output?: string | undefined
  readonly token?: string | undefined
  readonly tenant?: string | undefined
  readonly types?: readonly ProfileKind[] | undefined
  readonly rate?: number | undefined
  readonly intervalMs?: number | undefined
}

export const OTLP_SERVER = 'http://127.0.0.1:4318'
const PROFILES_PATH = '/v1development/profiles'
const OTLP = 'OTEL_EXPORTER_OTLP_'
const PROFILES = 'OTEL_EXPORTER_OTLP_PROFILES_'

/** The endpoint for profiles in the environment. Undefined if there is none. */
export function endpointIn(env: Environment): string | undefined {
  return filled(env[`${PROFILES}ENDPOINT`]) ?? filled(env[`${OTLP}ENDPOINT`])
}

/** The service name in the environment. Undefined if there is none. */
export function serviceIn(env: Environment): string | undefined {
  const listed = /(?:^|,)\s*service\.name\s*=([^,]*)/.exec(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '')?.[1].trim()
  return filled(env['OTEL_SERVICE_NAME']) ?? filled(listed)
}

export function agentEnvironment(env: Environment, settings: AgentSettings): Record<string, string | undefined> {
  const { register, service, to, output, token, tenant, types, rate, intervalMs } = settings
  const headers = [
    ...(token === undefined ? [] : [`authorization=${encodeURIComponent(`Bearer ${token}`)}`]),
    ...(tenant === undefined ? [] : [`x-scope-orgid=${encodeURIComponent(tenant)}`]),
  ]
  return {
    ...env,
    NODE_OPTIONS: [filled(env['NODE_OPTIONS']), `--import ${register}`].filter(part => part !== undefined).join(' '),
    OTEL_SERVICE_NAME: service,
    ...(to === undefined ? {} : { [`${PROFILES}ENDPOINT`]: profilesUrl(to), [`${PROFILES}PROTOCOL`]: 'http/protobuf' }),
    // HEARTH_OUTPUT in the environment would override the given address.
    ...(to === undefined ? {} : { HEARTH_OUTPUT: undefined }),
    ...(output === undefined ? {} : { HEARTH_OUTPUT: output }),
    ...(headers.length === 0 ? {} : { [`${PROFILES}HEADERS`]: [...headersIn(env), ...headers].join(',') }),
    ...(types === undefined ? {} : { HEARTH_PROFILE_TYPES: types.join(',') }),
    ...(rate === undefined ? {} : { HEARTH_SAMPLE_RATE_HZ: String(rate) }),
    ...(intervalMs === undefined ? {} : { HEARTH_EXPORT_INTERVAL: `${intervalMs}ms` }),
  }
}

/** The variable for profiles is used as it is, so it must contain the path. */
function profilesUrl(to: string): string {
  const url = new URL(to)
  return url.pathname === '/' ? new URL(PROFILES_PATH, url).href : url.href
}

/** The variable for profiles replaces the general one, so the headers of that are repeated. */
function headersIn(env: Environment): string[] {
  const given = filled(env[`${PROFILES}HEADERS`]) ?? filled(env[`${OTLP}HEADERS`])
  return given === undefined ? [] : [given]
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text
}

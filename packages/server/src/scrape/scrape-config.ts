// The setting scrape-configs: a list of jobs with the keys of Prometheus and Parca.
import { parseDurationMs } from '@hearth/profile'
import { parse } from 'yaml'
import { z } from 'zod'
import { PROFILE_ENDPOINTS } from './profile-endpoints.ts'
import { RELABEL_ACTIONS, compileRegex } from './relabel.ts'

export class ScrapeConfigError extends Error {
  override readonly name = 'ScrapeConfigError'
}

const text = z.string().min(1).max(4096)
const labels = z.record(text, z.string())
const MIN_INTERVAL_MS = 1000
const DEFAULT_INTERVAL = '15s'
const DEFAULT_TIMEOUT = '10s'

/** A duration as text, in milliseconds. */
const duration = (minMs: number) =>
  z.string().transform((value, context) => {
    const ms = parseDurationMs(value)
    if (ms !== undefined && ms >= minMs) return ms
    context.addIssue(`'${value}' is not a duration of at least ${minMs / 1000} s; write 15s or 1m`)
    return z.NEVER
  })

const httpUrl = text.refine(value => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'not a URL')

const relabelRule = z
  .strictObject({
    source_labels: z.array(text).default([]),
    separator: z.string().default(';'),
    target_label: z.string().default(''),
    regex: z.string().default('(.*)'),
    modulus: z.int().min(0).default(0),
    replacement: z.string().default('$1'),
    action: z.enum(RELABEL_ACTIONS).default('replace'),
  })
  .superRefine(({ regex, action, target_label: target, modulus }, context) => {
    try {
      compileRegex(regex)
    } catch (error) {
      context.addIssue((error as Error).message)
    }
    const needsTarget = ['replace', 'hashmod', 'lowercase', 'uppercase', 'keepequal', 'dropequal'].includes(action)
    if (needsTarget && target === '') context.addIssue(`the action ${action} requires target_label`)
    if (action === 'hashmod' && modulus === 0) context.addIssue('the action hashmod requires modulus')
  })

const connection = {
  basic_auth: z
    .strictObject({ username: z.string(), password: z.string().optional(), password_file: text.optional() })
    .optional(),
  authorization: z
    .strictObject({
      type: text.default('Bearer'),
      credentials: z.string().optional(),
      credentials_file: text.optional(),
    })
    .optional(),
  bearer_token: z.string().optional(),
  bearer_token_file: text.optional(),
  tls_config: z
    .strictObject({
      ca_file: text.optional(),
      cert_file: text.optional(),
      key_file: text.optional(),
      server_name: text.optional(),
      insecure_skip_verify: z.boolean().default(false),
    })
    .optional(),
  follow_redirects: z.boolean().default(true),
}

const staticConfig = z.strictObject({ targets: z.array(text), labels: labels.default({}) })
const fileConfig = z.strictObject({
  files: z.array(text).min(1),
  refresh_interval: duration(MIN_INTERVAL_MS).prefault('30s'),
})
const dnsConfig = z
  .strictObject({
    names: z.array(text).min(1),
    type: z.enum(['SRV', 'A', 'AAAA']).default('SRV'),
    port: z.int().min(1).max(65_535).optional(),
    refresh_interval: duration(MIN_INTERVAL_MS).prefault('30s'),
  })
  .refine(({ type, port }) => type === 'SRV' || port !== undefined, 'records of type A and AAAA require port')
const httpConfig = z.strictObject({
  url: httpUrl,
  refresh_interval: duration(MIN_INTERVAL_MS).prefault('1m'),
  ...connection,
})
const kubernetesConfig = z.strictObject({
  role: z.enum(['pod', 'node', 'service', 'endpoints', 'endpointslice']),
  api_server: httpUrl.optional(),
  namespaces: z
    .strictObject({ names: z.array(text).default([]), own_namespace: z.boolean().default(false) })
    .optional(),
  selectors: z
    .array(z.strictObject({ role: text, label: z.string().optional(), field: z.string().optional() }))
    .default([]),
  refresh_interval: duration(MIN_INTERVAL_MS).prefault('30s'),
  ...connection,
})

const endpointConfig = z.strictObject({
  enabled: z.boolean().optional(),
  path: text.optional(),
  /** Parca's name for "the program records for some seconds". */
  delta: z.boolean().optional(),
  seconds: z.int().min(1).max(3600).optional(),
})

const jobConfig = z
  .strictObject({
    job_name: text,
    /** The tenant that the profiles belong to. */
    tenant: text.optional(),
    scrape_interval: duration(MIN_INTERVAL_MS).prefault(DEFAULT_INTERVAL),
    scrape_timeout: duration(100).prefault(DEFAULT_TIMEOUT),
    scheme: z.enum(['http', 'https']).default('http'),
    params: z.record(text, z.array(z.string())).default({}),
    target_limit: z.int().min(1).default(10_000),
    profiling_config: z
      .strictObject({
        path_prefix: z.string().default(''),
        pprof_config: z.record(text, endpointConfig).default({}),
      })
      .prefault({}),
    static_configs: z.array(staticConfig).default([]),
    file_sd_configs: z.array(fileConfig).default([]),
    dns_sd_configs: z.array(dnsConfig).default([]),
    http_sd_configs: z.array(httpConfig).default([]),
    kubernetes_sd_configs: z.array(kubernetesConfig).default([]),
    relabel_configs: z.array(relabelRule).default([]),
    ...connection,
  })
  .superRefine(({ profiling_config: { pprof_config: endpoints } }, context) => {
    for (const [name, { path }] of Object.entries(endpoints))
      if (path === undefined && PROFILE_ENDPOINTS[name] === undefined)
        context.addIssue(
          `pprof_config: '${name}' requires a path; endpoints with one are ${Object.keys(PROFILE_ENDPOINTS).join(', ')}`,
        )
  })

export type ScrapeJob = z.infer<typeof jobConfig>
export type EndpointConfig = z.infer<typeof endpointConfig>
export type DnsConfig = z.infer<typeof dnsConfig>
export type HttpConfig = z.infer<typeof httpConfig>
export type FileConfig = z.infer<typeof fileConfig>
export type KubernetesConfig = z.infer<typeof kubernetesConfig>
/** How to connect to a target or to a source of targets. */
export type Connection = Pick<ScrapeJob, keyof typeof connection>

/** The schema of a group of targets in files and HTTP responses. */
export const targetGroups = z.array(staticConfig).max(100_000)

/** Reads a list of jobs as YAML or JSON. Throws ScrapeConfigError. */
export function parseScrapeConfigs(source: string): readonly ScrapeJob[] {
  let content: unknown
  try {
    content = parse(source) ?? []
  } catch (error) {
    throw new ScrapeConfigError(`not a list of jobs: ${(error as Error).message.split('\n')[0]}`, { cause: error })
  }
  const parsed = z.array(jobConfig).safeParse(content)
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]
    const [index, ...rest] = path
    const job = typeof index === 'number' ? `job ${index + 1}` : 'the list'
    throw new ScrapeConfigError(`${[job, ...rest].join('.')}: ${message}`)
  }
  const names = parsed.data.map(({ job_name: name }) => name)
  const double = names.find((name, i) => names.indexOf(name) !== i)
  if (double !== undefined) throw new ScrapeConfigError(`two jobs have the name '${double}'`)
  return parsed.data
}

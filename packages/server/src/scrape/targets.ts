// Targets: what one scrape loop fetches. They are made of discovered labels by the rules of a job, as in Prometheus.
import { createHash } from 'node:crypto'
import type { ProfileEndpoint } from './profile-endpoints.ts'
import { PROFILE_ENDPOINTS } from './profile-endpoints.ts'
import type { Labels } from './relabel.ts'
import { labelsText, relabel } from './relabel.ts'
import type { EndpointConfig, ScrapeJob } from './scrape-config.ts'

/** Addresses with their labels, as a source of targets reports them. */
export interface TargetGroup {
  readonly targets: readonly string[]
  readonly labels: Labels
}

export interface Target {
  /** Equal ids mean the same loop. */
  readonly id: string
  readonly job: string
  readonly tenant: string | undefined
  readonly endpoint: ProfileEndpoint
  readonly url: string
  readonly labels: Labels
  readonly discovered: Labels
  readonly intervalMs: number
  readonly timeoutMs: number
  /** How long the program records; undefined if it responds at once. */
  readonly seconds: number | undefined
}

const ADDRESS = '__address__'
const SCHEME = '__scheme__'
const PREFIX = '__profile_path_prefix__'
const PARAM = '__param_'
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/** Throws Error if a job has more targets than its limit, or an address is invalid. */
export function targetsOf(job: ScrapeJob, groups: readonly TargetGroup[]): readonly Target[] {
  const targets = new Map<string, Target>()
  const endpoints = enabledEndpoints(job)
  let count = 0
  for (const group of groups) {
    for (const address of group.targets) {
      const discovered = discoveredLabels(job, address, group.labels)
      const labels = relabel(discovered, job.relabel_configs)
      if (labels === undefined || (labels[ADDRESS] ?? '') === '') continue
      if (++count > job.target_limit)
        throw new Error(`more than ${job.target_limit} targets (target_limit); none of this job is scraped`)
      for (const endpoint of endpoints) {
        const target = targetOf(job, endpoint, discovered, labels)
        targets.set(target.id, target)
      }
    }
  }
  return [...targets.values()]
}

interface EnabledEndpoint {
  readonly endpoint: ProfileEndpoint
  readonly config: EndpointConfig
}

function enabledEndpoints({ profiling_config: { pprof_config: configs } }: ScrapeJob): readonly EnabledEndpoint[] {
  const names = new Set([...Object.keys(PROFILE_ENDPOINTS), ...Object.keys(configs)])
  return [...names].flatMap(name => {
    const config = configs[name] ?? {}
    const known = PROFILE_ENDPOINTS[name] ?? { name, path: '', isEnabled: true, takesSeconds: false, cumulative: [] }
    const endpoint = {
      ...known,
      path: config.path ?? known.path,
      takesSeconds: config.delta ?? known.takesSeconds,
    }
    return (config.enabled ?? known.isEnabled) ? [{ endpoint, config }] : []
  })
}

/** Before relabelling. Labels of the group override those of the job. */
function discoveredLabels(job: ScrapeJob, address: string, labels: Labels): Labels {
  const params = Object.entries(job.params).map(([name, [first = '']]) => [PARAM + name, first] as const)
  return {
    job: job.job_name,
    [SCHEME]: job.scheme,
    [PREFIX]: job.profiling_config.path_prefix,
    ...Object.fromEntries(params),
    ...labels,
    [ADDRESS]: address,
  }
}

function targetOf(
  job: ScrapeJob,
  { endpoint, config }: EnabledEndpoint,
  discovered: Labels,
  relabelled: Labels,
): Target {
  const address = relabelled[ADDRESS]
  const scheme = relabelled[SCHEME] ?? 'http'
  const base = `${scheme}://${address}`
  if (!/^https?$/.test(scheme) || !URL.canParse(base)) throw new Error(`'${base}' is not an address of a target`)
  const url = new URL(`${relabelled[PREFIX] ?? ''}${endpoint.path}`, base)
  for (const [name, values] of Object.entries(job.params))
    for (const value of values) url.searchParams.append(name, value)
  for (const [name, value] of Object.entries(relabelled))
    if (name.startsWith(PARAM)) url.searchParams.set(name.slice(PARAM.length), value)
  const intervalMs = job.scrape_interval
  const seconds = endpoint.takesSeconds ? (config.seconds ?? Math.max(1, Math.floor(intervalMs / 1000) - 1)) : undefined
  if (seconds !== undefined) url.searchParams.set('seconds', String(seconds))
  const labels = publicLabels({ instance: instanceOf(scheme, address), ...relabelled })
  const id = createHash('sha256')
    .update([job.job_name, endpoint.name, url.href, labelsText(labels)].join('\0'))
    .digest('hex')
    .slice(0, 32)
  return {
    id,
    job: job.job_name,
    tenant: job.tenant,
    endpoint,
    url: url.href,
    labels,
    discovered,
    intervalMs,
    timeoutMs: job.scrape_timeout + (seconds ?? 0) * 1000,
    seconds,
  }
}

/** Labels that begin with two underscores only exist while relabelling. */
function publicLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith('__')))
}

function instanceOf(scheme: string, address: string): string {
  return /:\d+$/.test(address) ? address : `${address}:${DEFAULT_PORTS[scheme]}`
}

// The sources of a job's targets.
import type { ScrapeJob } from '../scrape-config.ts'
import type { TargetGroup } from '../targets.ts'
import { findByDns } from './dns.ts'
import { findInFiles } from './files.ts'
import { findByHttp } from './http.ts'
import { findInKubernetes } from './kubernetes.ts'
import { PolledSource } from './polled-source.ts'

export interface SourceEvents {
  readonly onChange: () => void
  readonly onFailure: (message: string) => void
}

export function sourcesOf(job: ScrapeJob, events: SourceEvents): readonly PolledSource[] {
  const polled = (
    name: string,
    intervalMs: number,
    find: (signal: AbortSignal) => Promise<readonly TargetGroup[]>,
  ): PolledSource => new PolledSource({ name, intervalMs, find, ...events })
  return [
    ...job.file_sd_configs.map(config => polled('files', config.refresh_interval, () => findInFiles(config))),
    ...job.dns_sd_configs.map(config => polled('DNS', config.refresh_interval, () => findByDns(config))),
    ...job.http_sd_configs.map(config =>
      polled(new URL(config.url).host, config.refresh_interval, signal => findByHttp(config, signal)),
    ),
    ...job.kubernetes_sd_configs.map(config =>
      polled(`Kubernetes ${config.role}`, config.refresh_interval, signal => findInKubernetes(config, signal)),
    ),
  ]
}

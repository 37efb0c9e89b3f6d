import { describe, expect, it } from 'vitest'
import { parseScrapeConfigs } from './scrape-config.ts'
import { targetsOf } from './targets.ts'

const job = (yaml: string) => parseScrapeConfigs(`[{ job_name: shop, ${yaml} }]`)[0]
const groups = (...targets: readonly string[]) => [{ targets, labels: { zone: 'eu' } }]

describe('targetsOf', () => {
  it('makes one target for each enabled endpoint', () => {
    const targets = targetsOf(job('scrape_interval: 10s'), groups('app:6060'))
    expect(targets.map(({ url, endpoint }) => `${endpoint.name} ${url}`)).toEqual([
      'process_cpu http://app:6060/debug/pprof/profile?seconds=9',
      'memory http://app:6060/debug/pprof/heap',
      'goroutines http://app:6060/debug/pprof/goroutine',
      'mutex http://app:6060/debug/pprof/mutex',
      'block http://app:6060/debug/pprof/block',
    ])
    expect(targets[0]).toMatchObject({
      labels: { job: 'shop', instance: 'app:6060', zone: 'eu' },
      timeoutMs: 19_000,
      seconds: 9,
    })
  })

  it('enables other endpoints, paths and prefixes', () => {
    const config = job(`scheme: https, params: { debug: ['0'] }, profiling_config: { path_prefix: /app, pprof_config: {
      process_cpu: { seconds: 5 }, memory: { enabled: false }, goroutine: { enabled: false }, mutex: { enabled: false },
      block: { enabled: false }, godeltaprof_memory: { enabled: true }, fgprof: { enabled: true, path: /fg } } }`)
    expect(targetsOf(config, groups('app')).map(({ url }) => url)).toEqual([
      'https://app/app/debug/pprof/profile?debug=0&seconds=5',
      'https://app/app/fg?debug=0&seconds=14',
      'https://app/app/debug/pprof/delta_heap?debug=0',
    ])
    expect(targetsOf(config, groups('app'))[0].labels['instance']).toBe('app:443')
  })

  it('drops targets, changes addresses and adds parameters by relabelling', () => {
    const config = job(`profiling_config: { pprof_config: { memory: { enabled: false }, goroutine: { enabled: false },
      mutex: { enabled: false }, block: { enabled: false } } }, relabel_configs: [
      { source_labels: [__address__], regex: 'b.*', action: drop },
      { source_labels: [__address__], regex: '(.*):1', target_label: __address__, replacement: '$1:2' },
      { target_label: __param_user, replacement: me }, { target_label: service_name, replacement: front }]`)
    const [target, ...rest] = targetsOf(config, groups('a:1', 'b:1'))
    expect(rest).toEqual([])
    expect(target.url).toBe('http://a:2/debug/pprof/profile?user=me&seconds=14')
    expect(target.labels).toEqual({ job: 'shop', instance: 'a:2', zone: 'eu', service_name: 'front' })
  })

  it('rejects more targets than the limit, and invalid addresses', () => {
    expect(() => targetsOf(job('target_limit: 1'), groups('a:1', 'b:1'))).toThrow('more than 1 targets (target_limit)')
    expect(() => targetsOf(job(''), groups('a b'))).toThrow("'http://a b' is not an address of a target")
  })
})

describe('parseScrapeConfigs', () => {
  it('names the job and the key of an invalid value', () => {
    const error = (yaml: string) => () => parseScrapeConfigs(yaml)
    expect(error('[{ job_name: a, scrape_interval: soon }]')).toThrow("job 1.scrape_interval: 'soon' is not a duration")
    expect(error('[{ job_name: a }, { job_name: a }]')).toThrow("two jobs have the name 'a'")
    expect(error('[{ job_name: a, static_config: [] }]')).toThrow('static_config')
    expect(error("[{ job_name: a, relabel_configs: [{ regex: '(', target_label: x }] }]")).toThrow(
      "regex '(' is invalid",
    )
    expect(error('[{ job_name: a, profiling_config: { pprof_config: { threads: { enabled: true } } } }]')).toThrow(
      "'threads' requires a path",
    )
    expect(error('[{ job_name: a, dns_sd_configs: [{ names: [x], type: A }] }]')).toThrow('require port')
  })
})

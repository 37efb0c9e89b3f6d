// The scrape target of the demo: an HTTP server on loopback with the goroutines of a Go service, and a scraper with one job.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PROFILE_ENDPOINTS } from '../scrape/profile-endpoints.ts'
import { parseScrapeConfigs } from '../scrape/scrape-config.ts'
import type { JobState, ScraperOptions } from '../scrape/scraper.ts'
import { Scraper } from '../scrape/scraper.ts'
import { SCRAPED_SERVICE } from './demo-handlers.ts'
import { ATTRIBUTES } from './shop-resource.ts'

export interface DemoTargetOptions {
  readonly tenant: string
  readonly scraping: Omit<ScraperOptions, 'jobs' | 'defaultTenant'>
  /** Returns a pprof file. */
  readonly goroutines: () => Promise<Uint8Array>
}

export const DEMO_JOB = 'demo'
const INTERVAL = '5s'
const { path: PATH } = PROFILE_ENDPOINTS['goroutine']

export class DemoTarget {
  readonly #options: DemoTargetOptions
  readonly #server: Server
  #scraper: Scraper | undefined

  constructor(options: DemoTargetOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url !== PATH) return void response.writeHead(404).end()
      options.goroutines().then(
        file => response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file),
        () => response.writeHead(503).end(),
      )
    })
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const { tenant, scraping } = this.#options
    const { port } = this.#server.address() as AddressInfo
    const only: Record<string, object> = {}
    for (const name of Object.keys(PROFILE_ENDPOINTS)) only[name] = { enabled: name === 'goroutine' }
    const labels = {
      service_name: SCRAPED_SERVICE,
      'service.namespace': ATTRIBUTES.namespace,
      'deployment.environment.name': ATTRIBUTES.environment,
      [ATTRIBUTES.mark]: 'true',
    }
    const job = {
      job_name: DEMO_JOB,
      tenant,
      scrape_interval: INTERVAL,
      profiling_config: { pprof_config: only },
      static_configs: [{ targets: [`127.0.0.1:${port}`], labels }],
    }
    this.#scraper = new Scraper({
      ...scraping,
      jobs: parseScrapeConfigs(JSON.stringify([job])),
      defaultTenant: tenant,
    })
    await this.#scraper.start()
  }

  state(): readonly JobState[] {
    return this.#scraper?.state() ?? []
  }

  async stop(): Promise<void> {
    await this.#scraper?.stop()
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

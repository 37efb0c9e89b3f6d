// The demo: a simulated shop whose data takes the same path as any sender's. It starts with an hour of history and continues until it
// is removed, also after a restart. The resource attribute hearth.demo marks its data, so that removing it touches nothing else.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SIGNALS } from '@hearth/signals'
import { z } from 'zod'
import type { BrokerControl } from '../broker/control.ts'
import { StateFile } from '../files/state-file.ts'
import type { Monitor } from '../monitor/monitor.ts'
import type { Deletions } from '../query/deletion/deletions.ts'
import type { Incoming, Receiver } from '../receive/receiver.ts'
import type { Saved } from '../saved/saved.ts'
import type { JobState } from '../scrape/scraper.ts'
import { WorkerPool } from '../workers/worker-pool.ts'
import type { DemoBatch, DemoData, DemoHandlers } from './demo-handlers.ts'
import type { DemoRecorderOptions } from './demo-recorder.ts'
import { DemoRecorder } from './demo-recorder.ts'
import { addRules, addTrigger, addViews, removeSaved } from './demo-saved.ts'
import type { DemoTargetOptions } from './demo-target.ts'
import { DemoTarget } from './demo-target.ts'
import { DEMO_SELECTOR } from './shop-resource.ts'
import { SERVICES } from './shop.ts'

export const DEMO_STATES = ['none', 'loading', 'live', 'removing'] as const
export type DemoState = (typeof DEMO_STATES)[number]

export interface DemoOptions {
  readonly receiver: Pick<Receiver, 'receive'>
  readonly deletions: Pick<Deletions, 'start' | 'find'>
  readonly monitor: Monitor | undefined
  /** Resolves when queries see all acknowledged data. */
  readonly visible: () => Promise<void>
  /** Undefined if the Broker is switched off. */
  readonly control: BrokerControl | undefined
  readonly saved: Pick<Saved, 'views'>
  readonly scraping: DemoTargetOptions['scraping']
  readonly dataDirectory: string
  /** The entry file of the thread. */
  readonly entry: URL
  readonly onError: (error: unknown) => void
}

const HISTORY_MS = 3_600_000
const HISTORY_BATCH_MS = 30_000
const LIVE_BATCH_MS = 5000
const WAIT_MS = 100
/**
 * The number of batches of the history that are stored at the same time. Each waits for a commit, 100 ms by default, so an hour takes
 * 18 s with three at a time, and 2 s with twenty.
 */
const CONCURRENT = 20
const RETRIES = 20
const RETRY_MS = 500
/** After the last possible time of a profile. */
const END_OF_TIME = String(2n ** 63n - 1n)

const fileSchema = z.strictObject({
  tenants: z.record(
    z.string(),
    z.strictObject({ opened: z.number().meta({ description: 'Milliseconds since 1970' }) }),
  ),
})
type Tenants = z.infer<typeof fileSchema>['tenants']

interface Running {
  readonly stop: AbortController
  ended: Promise<void>
  isLoading: boolean
  /** Once it is live. */
  target?: DemoTarget
}

export class Demo {
  readonly #options: DemoOptions
  readonly #file: StateFile<z.infer<typeof fileSchema>>
  readonly #running = new Map<string, Running>()
  /** The deletions of demos that this process has removed, by tenant. */
  readonly #deletions = new Map<string, string>()
  #tenants: Tenants

  /** Continues the demos that an earlier run of the server had. */
  constructor(options: DemoOptions) {
    this.#options = options
    this.#file = new StateFile(join(options.dataDirectory, 'demo.json'), {
      parse: value => fileSchema.parse(value),
      optional: true,
    })
    this.#tenants = this.#file.read().content?.tenants ?? {}
    const now = Date.now()
    for (const [tenant, { opened }] of Object.entries(this.#tenants)) this.#start(tenant, { opened, from: now }, now)
  }

  state(tenant: string): DemoState {
    const running = this.#running.get(tenant)
    if (running !== undefined) return running.isLoading ? 'loading' : 'live'
    if (tenant in this.#tenants) return 'live'
    const deletion = this.#options.deletions.find(tenant, this.#deletions.get(tenant) ?? '')
    return deletion?.state === 'running' ? 'removing' : 'none'
  }

  /** Starts the demo of a tenant unless it has one. Returns at once. A deletion of an earlier one does not touch its data. */
  load(tenant: string): void {
    if (tenant in this.#tenants) return
    const now = Date.now()
    const opened = now - HISTORY_MS
    this.#write({ ...this.#tenants, [tenant]: { opened } })
    this.#start(tenant, { opened, from: opened }, now)
  }

  /** Resolves when the history is stored. */
  async loaded(tenant: string): Promise<void> {
    while (this.state(tenant) === 'loading') await sleep(50)
  }

  /** The scraped targets of all demos. */
  scrapedJobs(): readonly JobState[] {
    return [...this.#running.values()].flatMap(({ target }) => target?.state() ?? [])
  }

  /** Stops the demo of a tenant and deletes its data and all that it saved. Resolves when the deletion has started. */
  async remove(tenant: string, by: string): Promise<void> {
    const { deletions, monitor } = this.#options
    await this.#stop(tenant)
    // Before the data: a capture that ends now stores a span.
    await removeSaved(tenant, this.#options)
    const { id } = await deletions.start({
      tenant,
      by,
      signals: [...SIGNALS],
      selector: DEMO_SELECTOR,
      from: '0',
      to: END_OF_TIME,
    })
    this.#deletions.set(tenant, id)
    await monitor?.findings.forget(tenant, SERVICES)
    this.#write(Object.fromEntries(Object.entries(this.#tenants).filter(([name]) => name !== tenant)))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map(tenant => this.#stop(tenant)))
  }

  async #stop(tenant: string): Promise<void> {
    const running = this.#running.get(tenant)
    running?.stop.abort()
    await running?.ended
    this.#running.delete(tenant)
  }

  #start(tenant: string, data: DemoData, now: number): void {
    const running: Running = { stop: new AbortController(), ended: Promise.resolve(), isLoading: data.from < now }
    this.#running.set(tenant, running)
    running.ended = this.#run(tenant, data, now, running).catch((error: unknown) => {
      if (!running.stop.signal.aborted) this.#options.onError(error)
    })
  }

  async #run(tenant: string, data: DemoData, now: number, running: Running): Promise<void> {
    const { signal } = running.stop
    const pool = new WorkerPool<DemoHandlers>({ name: 'demo', entry: this.#options.entry, size: 1, data })
    const call = { key: tenant, signal }
    const recorder = this.#recorder(tenant, async range => {
      while (at < range.until) await sleep(WAIT_MS, undefined, { signal })
      return await pool.call('capture', range, call)
    })
    const target = new DemoTarget({
      tenant,
      scraping: this.#options.scraping,
      goroutines: () => pool.call('goroutines', undefined, call),
    })
    let at = data.from
    const advance = async (until: number): Promise<DemoBatch> => {
      const batch = await pool.call('advance', until, call)
      // Captures look back at what happened shortly before now.
      if (until >= now) recorder?.follow(await pool.call('captured', undefined, call))
      at = until
      return batch
    }
    try {
      const storing = new Set<Promise<void>>()
      if (data.from < now) {
        await addViews(tenant, this.#options)
        await addRules(tenant, this.#options)
      }
      while (at < now) {
        const until = Math.min(now, at + HISTORY_BATCH_MS)
        const batch = await advance(until)
        if (until === now) addTrigger(tenant, this.#options)
        const stored = this.#store(tenant, batch, signal).finally(() => storing.delete(stored))
        storing.add(stored)
        if (storing.size >= CONCURRENT) await Promise.race(storing)
      }
      await Promise.all(storing)
      await this.#options.visible()
      // The slow version of the history becomes a finding now, not after the period of the monitor.
      void this.#options.monitor?.scheduler.runNow('regressions')
      await target.start()
      running.target = target
      running.isLoading = false
      for (;;) {
        await sleep(LIVE_BATCH_MS, undefined, { signal })
        await this.#store(tenant, await advance(Date.now()), signal)
      }
    } finally {
      running.isLoading = false
      recorder?.close()
      await target.stop()
      await pool.close()
    }
  }

  #recorder(tenant: string, capture: DemoRecorderOptions['capture']): DemoRecorder | undefined {
    const { control } = this.#options
    return control === undefined ? undefined : new DemoRecorder({ broker: control.broker, tenant, capture })
  }

  async #store(tenant: string, batch: DemoBatch, signal: AbortSignal): Promise<void> {
    await Promise.all(SIGNALS.map(name => this.#send(tenant, name, batch[name], signal)))
  }

  /** Waits while the server is overloaded. */
  async #send(tenant: string, name: keyof DemoBatch, body: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let tries = 0; ; tries++)
      try {
        const sender = { identity: { tenant, token: '' }, client: 'demo', transport: 'in-process' } as const
        const encoding = name === 'profiles' ? 'protobuf' : 'json'
        const request: Incoming = { ...sender, signal: name, encoding, body: body.slice() }
        await this.#options.receiver.receive(request)
        return
      } catch (error) {
        if (signal.aborted || tries === RETRIES) throw error
        await sleep(RETRY_MS, undefined, { signal })
      }
  }

  #write(tenants: Tenants): void {
    this.#tenants = tenants
    this.#file.writeSync({ tenants })
  }
}

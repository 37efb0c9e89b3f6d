// The side of the thread that runs the shop of the demo.
import { Transferred } from '../workers/channel.ts'
import { owned } from '../workers/owned.ts'
import { Random } from './random.ts'
import type { LookBack, LookedBack } from './shop-profiles.ts'
import { drainProfiles, goroutinesOf, lookBackAt } from './shop-profiles.ts'
import { drainSignals } from './shop-signals.ts'
import { instanceOf } from './shop-resource.ts'
import { Shop } from './shop.ts'
import type { Process } from './simulation.ts'

export interface DemoData {
  /** When the shop opened; its deployments count from there. Milliseconds since 1970. */
  readonly opened: number
  /** The time of the first event. */
  readonly from: number
}

/** OTLP: protobuf for profiles, JSON for the others. */
export type DemoBatch = Readonly<Record<'profiles' | 'traces' | 'logs' | 'metrics', Uint8Array<ArrayBuffer>>>

export type DemoHandlers = ReturnType<typeof demoHandlers>

/** The service whose process captures can look back at. */
export const CAPTURED_SERVICE = 'storefront'
/** The service whose endpoint is scraped. */
export const SCRAPED_SERVICE = 'checkout'
export const LOOK_BACK_SECONDS = 120

/** A process as the Broker names it. */
export interface CapturedProcess {
  readonly instance: string
  readonly version: string
}

export function demoHandlers({ opened, from }: DemoData) {
  const random = new Random(from)
  // Captures and scrapes leave the random numbers of the shop as they are.
  const otherRandom = new Random(from)
  const shop = new Shop(opened, from, random)
  const recent = new Set<Process['cpu'][number]>()
  let last = from
  return {
    /** Returns what happens until a time. */
    async advance(until: number) {
      const processes = shop.advance(until)
      for (const { service, cpu } of processes)
        if (service === CAPTURED_SERVICE) for (const interval of cpu) recent.add(interval)
      for (const interval of recent) if (interval.to < until - LOOK_BACK_SECONDS * 1000) recent.delete(interval)
      const { traces, logs, metrics } = drainSignals(processes, shop.metrics, last, until)
      const batch: DemoBatch = {
        profiles: owned(drainProfiles(processes, last, until, random)),
        traces: json(traces),
        logs: json(logs),
        metrics: json(metrics),
      }
      last = until
      return new Transferred(
        batch,
        Object.values(batch).map(({ buffer }) => buffer),
      )
    },

    async captured(): Promise<CapturedProcess> {
      const process = shop.process(CAPTURED_SERVICE)
      return { instance: instanceOf(process), version: process.version }
    },

    /** Returns undefined without samples. */
    async capture(range: LookBack): Promise<LookedBack | undefined> {
      const process = shop.process(CAPTURED_SERVICE)
      return lookBackAt(process, [...recent], range, otherRandom)
    },

    /** Returns a pprof file. */
    async goroutines(): Promise<Uint8Array> {
      return goroutinesOf(shop.process(SCRAPED_SERVICE), last)
    },
  }
}

function json(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value))
}

// The side of the thread that runs the shop of the demo.
import { Transferred } from '../workers/channel.ts'
import { owned } from '../workers/owned.ts'
import { Random } from './random.ts'
import { drainProfiles } from './shop-profiles.ts'
import { drainSignals } from './shop-signals.ts'
import { Shop } from './shop.ts'

export interface DemoData {
  /** When the shop opened; its deployments count from there. Milliseconds since 1970. */
  readonly opened: number
  /** The time of the first event. */
  readonly from: number
}

/** OTLP: protobuf for profiles, JSON for the others. */
export type DemoBatch = Readonly<Record<'profiles' | 'traces' | 'logs' | 'metrics', Uint8Array<ArrayBuffer>>>

export type DemoHandlers = ReturnType<typeof demoHandlers>

export function demoHandlers({ opened, from }: DemoData) {
  const random = new Random(from)
  const shop = new Shop(opened, from, random)
  let last = from
  return {
    /** Returns what happens until a time. */
    async advance(until: number) {
      const processes = shop.advance(until)
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
  }
}

function json(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value))
}

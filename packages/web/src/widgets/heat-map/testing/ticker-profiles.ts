// Profiles of a synthetic service with two threads, sampled 100 times a second. A burst of garbage collection occurs at
// the same part of every seventh second. All other time is idle. Times are round, so tests know the counts.
import { ProfilesBuilder, writeOtlp } from '@hearth/profile'

const SECOND = 1_000_000_000n
const PERIOD = 10_000_000n
/** Seconds per profile. */
const EACH = 10

export interface TickerOptions {
  /** Nanoseconds since 1970, a whole second. */
  readonly from: bigint
  readonly seconds: number
}

/** The number of hundredths of each second with samples of work. All others are idle. */
export const BUSY_TICKS = 40
export const BURST_EVERY = 7
/** Hundredths of a second with a burst: three additional samples each. */
export const BURST = { from: 60, until: 80 } as const

/** One OTLP payload for each ten seconds. */
function tickerProfiles({ from, seconds }: TickerOptions): Uint8Array[] {
  return Array.from({ length: Math.ceil(seconds / EACH) }, (_, i) =>
    payload(from + BigInt(i * EACH) * SECOND, i * EACH, Math.min(EACH, seconds - i * EACH)),
  )
}

function payload(started: bigint, second: number, seconds: number): Uint8Array {
  const b = new ProfilesBuilder()
  b.resource({ attributes: [{ key: 'service.name', value: 'ticker' }] })
  const stack = (...names: readonly string[]) =>
    b.stack(
      names
        .map(name => b.location({ lines: [{ function: b.function({ name, filename: 'ticker.ts' }), line: 1 }] }))
        .reverse(),
    )
  b.profile({
    type: 'cpu',
    unit: 'ns',
    periodType: 'cpu',
    periodUnit: 'ns',
    period: PERIOD,
    timeUnixNano: started,
    durationNano: BigInt(seconds) * SECOND,
  })
  const add = (thread: bigint, frames: readonly string[], timestamps: readonly bigint[]): void => {
    if (timestamps.length === 0) return
    b.sample({
      stack: stack(...frames),
      attributes: [b.attribute('thread.id', thread), b.attribute('thread.name', `worker-${thread}`)],
      timestamps,
      values: timestamps.map(() => PERIOD),
    })
  }
  const ticks = Array.from({ length: seconds * 100 }, (_, k) => k)
  const times = (chosen: readonly number[]): bigint[] => chosen.map(k => started + BigInt(k) * PERIOD)
  const isBurst = (k: number): boolean =>
    (second + Math.floor(k / 100)) % BURST_EVERY === 0 && k % 100 >= BURST.from && k % 100 < BURST.until
  const works = ticks.filter(k => k % 100 < BUSY_TICKS)
  add(1n, ['main', 'tick', 'parse'], times(works.filter(k => k % 2 === 0)))
  add(1n, ['main', 'tick', 'print'], times(works.filter(k => k % 2 === 1)))
  add(1n, ['main', '(idle)'], times(ticks.filter(k => k % 100 >= BUSY_TICKS)))
  const bursts = times(ticks.filter(isBurst))
  add(2n, ['gc', 'mark'], [...bursts, ...bursts.map(time => time + 1n), ...bursts.map(time => time + 2n)])
  return writeOtlp(b.build()).bytes
}

/** Sends the profiles to a server's OTLP/HTTP port. */
export async function sendTicker(otlpHttp: string, options: TickerOptions): Promise<void> {
  for (const bytes of tickerProfiles(options)) {
    const response = await fetch(`${otlpHttp}/v1/push?format=otlp`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes as Uint8Array<ArrayBuffer>,
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  }
}

// Profiles of a service that ticks: two threads looked at 100 times a second, a burst of garbage collection at the same part
// of every seventh second, and nothing to do in between. Times are round, so that tests know how many fall where.
import { ProfilesBuilder, writeOtlp } from '@hearth/profile'

const SECOND = 1_000_000_000n
const PERIOD = 10_000_000n
/** Seconds of a profile. */
const EACH = 10

export interface TickerOptions {
  /** Nanoseconds since 1970, a whole second. */
  readonly from: bigint
  readonly seconds: number
}

/** Of every second: so many hundredths have samples of work, all others are idle. */
export const BUSY_TICKS = 40
export const BURST_EVERY = 7
/** Hundredths of a second in which a burst takes place: three samples each more. */
export const BURST = { from: 60, until: 80 } as const

/** One payload of OTLP for each ten seconds. */
export function tickerProfiles({ from, seconds }: TickerOptions): Uint8Array[] {
  return Array.from({ length: Math.ceil(seconds / EACH) }, (_, i) =>
    payload(from + BigInt(i * EACH) * SECOND, i * EACH, Math.min(EACH, seconds - i * EACH)),
  )
}

function payload(begun: bigint, second: number, seconds: number): Uint8Array {
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
    timeUnixNano: begun,
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
  const times = (chosen: readonly number[]): bigint[] => chosen.map(k => begun + BigInt(k) * PERIOD)
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

/** Sends them to a server's OTLP/HTTP port. */
export async function sendTicker(otlpHttp: string, options: TickerOptions): Promise<void> {
  for (const bytes of tickerProfiles(options)) {
    const answer = await fetch(`${otlpHttp}/v1/push?format=otlp`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes as Uint8Array<ArrayBuffer>,
    })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
}

// Profiles of an imaginary shop, one per minute, for browser tests and screenshots. The second half has a slower query and a
// new function.
import { ProfilesBuilder, writeOtlp } from '@hearth/profile'

const MINUTE = 60_000_000_000n
/** The sampling period in nanoseconds: 100 samples per second. */
const PERIOD = 10_000_000n

type Stack = readonly [weight: number, ...frames: (readonly [name: string, file: string, line: number])[]]

const MAIN = ['main.main', '/app/cmd/checkout/main.go', 41] as const
const SERVE = ['net/http.(*conn).serve', '/usr/local/go/src/net/http/server.go', 1995] as const
const HANDLE = ['checkout/api.(*Server).PlaceOrder', '/app/api/order.go', 88] as const
const QUERY = ['checkout/db.(*Pool).Query', '/app/db/pool.go', 120] as const
const JSON = ['encoding/json.(*decodeState).object', '/usr/local/go/src/encoding/json/decode.go', 765] as const
const GC = ['runtime.gcBgMarkWorker', '/usr/local/go/src/runtime/mgc.go', 1310] as const

const STACKS: readonly Stack[] = [
  [3, MAIN, SERVE, HANDLE],
  [14, MAIN, SERVE, HANDLE, QUERY, ['checkout/db.(*Rows).Next', '/app/db/rows.go', 57]],
  [9, MAIN, SERVE, HANDLE, QUERY, ['syscall.Syscall', '/usr/local/go/src/syscall/asm_linux_amd64.s', 27]],
  [7, MAIN, SERVE, HANDLE, ['encoding/json.Unmarshal', '/usr/local/go/src/encoding/json/decode.go', 108], JSON, JSON],
  [
    5,
    MAIN,
    SERVE,
    HANDLE,
    ['checkout/price.Total', '/app/price/total.go', 33],
    ['math/big.nat.mul', '/usr/local/go/src/math/big/nat.go', 446],
  ],
  [4, MAIN, SERVE, ['checkout/api.(*Server).ListOrders', '/app/api/list.go', 21], QUERY],
  [
    6,
    GC,
    ['runtime.gcDrain', '/usr/local/go/src/runtime/mgcmark.go', 1070],
    ['runtime.scanobject', '/usr/local/go/src/runtime/mgcmark.go', 1300],
  ],
  [2, GC, ['runtime.gcMarkDone', '/usr/local/go/src/runtime/mgc.go', 820]],
]
const NEW: Stack = [6, MAIN, SERVE, HANDLE, ['checkout/cache.Warm', '/app/cache/warm.go', 12]]

export interface ShopOptions {
  readonly service: string
  readonly region: string
  /** Nanoseconds since 1970. */
  readonly until: bigint
  readonly minutes: number
}

/** Returns an OTLP payload for each minute. */
export function shopProfiles({ service, region, until, minutes }: ShopOptions): Uint8Array[] {
  return Array.from({ length: minutes }, (_, i) => {
    const isLate = i >= minutes / 2
    const load = (region.startsWith('us') ? 0.7 : 1) * (1 + 0.4 * Math.sin(i / 4) + (isLate ? 0.3 : 0))
    return onePayload(service, region, until - BigInt(minutes - i) * MINUTE, load, isLate, i)
  })
}

function onePayload(
  service: string,
  region: string,
  time: bigint,
  load: number,
  isLate: boolean,
  minute: number,
): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({
    attributes: [
      { key: 'service.name', value: service },
      { key: 'service.version', value: isLate ? '1.5.0' : '1.4.2' },
      { key: 'deployment.environment.name', value: 'production' },
      { key: 'cloud.region', value: region },
      { key: 'host.name', value: `${service}-${region}-1` },
    ],
  })
  builder.scope({ name: 'shop-profiler', version: '1' })
  for (const [type, unit, each] of [
    ['cpu', 'ns', PERIOD],
    ['alloc_space', 'By', 4096n],
  ] as const) {
    builder.profile({
      type,
      unit,
      periodType: type,
      periodUnit: unit,
      period: each,
      timeUnixNano: time,
      durationNano: MINUTE,
      id: Uint8Array.from({ length: 16 }, (_, k) => (minute * 7 + k * 13 + unit.length + region.charCodeAt(0)) & 255),
    })
    for (const stack of isLate ? [...STACKS, NEW] : STACKS) addStack(builder, stack, load, each, isLate, minute)
  }
  return writeOtlp(builder.build()).bytes
}

function addStack(
  builder: ProfilesBuilder,
  [weight, ...frames]: Stack,
  load: number,
  each: bigint,
  isLate: boolean,
  minute: number,
): void {
  const locations = frames.map(([name, filename, line]) =>
    builder.location({ lines: [{ function: builder.function({ name, filename }), line }] }),
  )
  const slower = isLate && frames.some(([name]) => name === QUERY[0]) ? 1.6 : 1
  const count = Math.round(weight * load * slower * 20)
  const trace = Uint8Array.from({ length: 16 }, (_, k) => (minute * 31 + k * 7 + weight) & 255)
  builder.sample({
    stack: builder.stack(locations.toReversed()),
    values: [BigInt(count) * each],
    link: builder.link(trace, trace.subarray(0, 8)),
    attributes: [builder.attribute('thread.name', weight % 2 === 0 ? 'worker-1' : 'worker-2')],
  })
}

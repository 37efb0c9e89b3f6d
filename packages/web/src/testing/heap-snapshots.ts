// Snapshots of the live heap of a process, which must not be added up over time.
import { ProfilesBuilder, writeOtlp } from '@hearth/profile'

const MINUTE = 60_000_000_000n
const MIB = 1_048_576n

/** Returns an OTLP payload with one snapshot per minute until `until`, in nanoseconds since 1970. */
export function heapSnapshots(until: bigint, mebibytes: readonly number[]): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({
    attributes: [
      { key: 'service.name', value: 'heap' },
      { key: 'service.instance.id', value: 'heap-1' },
    ],
  })
  builder.scope({ name: 'heap-profiler', version: '1' })
  for (const [i, size] of mebibytes.entries()) {
    builder.profile({
      type: 'inuse_space',
      unit: 'By',
      timeUnixNano: until - BigInt(mebibytes.length - i) * MINUTE,
      durationNano: 0n,
    })
    const location = builder.location({
      lines: [{ function: builder.function({ name: 'shop.cache', filename: '/app/cache.go' }), line: 7 }],
    })
    builder.sample({ stack: builder.stack([location]), values: [BigInt(size) * MIB] })
  }
  return writeOtlp(builder.build()).bytes
}

// Recordings of an invented service, similar to real ones: 120 functions, recursion, inlined calls, threads. The same seed gives
// the same recording.
import type { LocationIndex, Profiles } from '@hearth/profile'
import { ProfilesBuilder } from '@hearth/profile'
import { randomFrom } from '../../../profile/src/formats/testing/random.ts'

const FUNCTIONS = 120
const SAMPLES = 400
const SECOND = 1_000_000_000n

/** Ten seconds of CPU time at 100 Hz, starting at `seconds`. */
export function recording(seed: number, seconds: bigint): Profiles {
  const random = randomFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const b = new ProfilesBuilder()
  const mapping = b.mapping({ memoryStart: 0x400000n, memoryLimit: 0x900000n, filename: '/opt/checkout' })
  const locations = Array.from({ length: FUNCTIONS * 2 }, (_, i): LocationIndex => {
    const line = (f: number) => ({
      function: b.function({ name: `pkg${f % 7}.Function${f}`, filename: `pkg${f % 7}/file${f % 30}.go` }),
      line: 10 + i,
    })
    const outer = line(i % FUNCTIONS)
    // The callee comes first. Every fifth location is an inlined call.
    const lines = i % 5 === 0 ? [line((i * 7 + 3) % FUNCTIONS), outer] : [outer]
    return b.location({ mapping, address: 0x400000n + BigInt(i * 16), lines })
  })
  b.resource({ attributes: [{ key: 'service.name', value: 'recorded' }] })
  b.scope({ name: 'recorder' })
  b.profile({
    type: 'cpu',
    unit: 'nanoseconds',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    period: 10_000_000n,
    timeUnixNano: seconds * SECOND,
    durationNano: 10n * SECOND,
  })
  for (let i = 0; i < SAMPLES; i++) {
    // Few locations, so that some occur twice in a stack.
    const depth = 2 + below(18)
    const stack = Array.from({ length: depth }, () => locations[below(1 + below(locations.length))])
    const attributes = [b.attribute('thread.name', `worker-${below(4)}`)]
    b.sample({ stack: b.stack(stack), values: [BigInt(1 + below(9)) * 10_000_000n], attributes })
  }
  return b.build()
}

// Synthetic events of threads for benchmarks and tests.
import type { TimelineEvents } from '../../timeline/events.ts'
import { EMPTY_COVERAGE } from '../../timeline/events.ts'
import { MARK, ROLES, RUNNING } from '../../timeline/roles.ts'

/**
 * Creates bursts on CPU with waits between them and some allocations. The number of a thread decides how busy it is.
 */
export function syntheticEvents(count: number, threads: number): TimelineEvents {
  const each = Math.floor(count / threads)
  const length = each * threads
  const start = new Float64Array(length)
  const duration = new Float64Array(length)
  const role = new Uint8Array(length)
  const kind = new Uint8Array(length)
  const first = Uint32Array.from({ length: threads + 1 }, (_, t) => t * each)
  const random = randomFrom(7)
  let whole = 0
  for (let t = 0; t < threads; t++) {
    let at = random() * 1e6
    const busy = 0.2 + (0.7 * t) / threads
    for (let i = first[t]; i < first[t + 1]; i++) {
      const isRunning = random() < busy
      const isMark = !isRunning && random() < 0.1
      start[i] = at
      role[i] = isMark ? MARK : isRunning ? RUNNING : 1 + Math.floor(random() * (ROLES.length - 2))
      kind[i] = isMark ? 2 : isRunning ? 0 : 1
      duration[i] = isMark ? 0 : isRunning ? 1e6 : random() ** 6 * 4e7
      at += duration[i] + (random() < 0.02 ? random() * 2e7 : 0)
    }
    whole = Math.max(whole, at)
  }
  return {
    origin: 1_700_000_000_000_000_000n,
    whole,
    laneKind: 'thread',
    laneKinds: ['thread'],
    threads: Array.from({ length: threads }, (_, t) => ({
      key: `1/${t}/worker-${t}`,
      title: `worker-${t} (${t})`,
      group: `service · process ${Math.floor(t / 25)}`,
      service: 'service',
      resource: '1',
      id: String(t),
    })),
    first,
    bridge: new Float64Array(threads).fill(1e6),
    length,
    start,
    duration,
    role,
    kind,
    state: new Uint8Array(length),
    cpu: new Int32Array(length).fill(-1),
    link: new Uint32Array(length),
    node: new Int32Array(length).fill(-1),
    kinds: [
      { type: 'cpu:ns', unit: 'ns', clock: 'cpu', period: 1e6 },
      { type: 'off_cpu:ns', unit: 'ns', clock: 'wall', period: 0 },
      { type: 'alloc_space:By', unit: 'By', clock: 'cpu', period: 0 },
    ],
    states: [''],
    links: [{ traceId: '', spanId: '' }],
    parent: new Int32Array(0),
    frame: new Uint32Array(0),
    frames: { length: 0, name: [], file: [], mapping: [], type: [], line: [], address: [] },
    coverage: { ...EMPTY_COVERAGE, all: length, profiles: threads },
  }
}

/** A generator of the same numbers on every run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

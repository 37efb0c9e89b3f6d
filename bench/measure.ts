// Compares variants of the same work: interleaved in one process, several rounds, median of the CPU time of the process. Wall
// time on a shared machine depends on its load.

export interface Variant {
  readonly name: string
  /** Returns its result, which stays alive over a few calls, so that the cost of lasting objects is included. */
  readonly run: () => unknown
}

export interface Timing {
  readonly name: string
  /** CPU microseconds per call. */
  readonly micros: number
}

/** Approximate milliseconds of a variant in one round. */
const ROUND_MICROS = 60_000
const WARM_UP_MICROS = 300_000
const MAX_CALLS = 20_000

/** Keeps results alive over a few calls. */
const kept: unknown[] = new Array<unknown>(8).fill(undefined)

const { gc } = globalThis as { gc?: (options: { readonly type: 'major' }) => void }

/** A collection as it happens in a running program. Without the type it would also discard compiled code. */
const collect = gc && (() => gc({ type: 'major' }))

export function measure(variants: readonly Variant[], rounds: number): Timing[] {
  const calls = variants.map(({ run }) => callsPerRound(run))
  const times = variants.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [v, { run }] of variants.entries()) {
      // The garbage of the previous variant must not count here.
      kept.fill(undefined)
      collect?.()
      repeat(run, Math.ceil(calls[v] / 3))
      const before = process.cpuUsage()
      repeat(run, calls[v])
      times[v].push(spent(before) / calls[v])
    }
  }
  kept.fill(undefined)
  return variants.map(({ name }, v) => ({ name, micros: median(times[v]) }))
}

/** How many times as fast as `peer` the variant `ours` was. */
export function ratio(timings: readonly Timing[], peer: string, ours: string): number {
  return microsOf(timings, peer) / microsOf(timings, ours)
}

export function microsOf(timings: readonly Timing[], name: string): number {
  const timing = timings.find(one => one.name === name)
  if (timing === undefined) throw new Error(`no measurement named ${name}`)
  return timing.micros
}

function repeat(run: () => unknown, calls: number): void {
  for (let call = 0; call < calls; call++) kept[call & 7] = run()
}

/** Also warms up: the optimising compiler runs in parallel and is late on a busy machine. */
function callsPerRound(run: () => unknown): number {
  const start = process.cpuUsage()
  let calls = 0
  while (calls < 2 || (calls < MAX_CALLS && spent(start) < WARM_UP_MICROS)) {
    repeat(run, 1)
    calls++
  }
  const before = process.cpuUsage()
  repeat(run, Math.ceil(calls / 10))
  const micros = spent(before) / Math.ceil(calls / 10)
  return Math.max(1, Math.min(MAX_CALLS, Math.round(ROUND_MICROS / micros)))
}

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}

/** Bytes that one call allocates: the growth of the heap over a few calls without a collection in between. */
export function allocatedBy(run: () => unknown, rounds = 9): number {
  const sizes = Array.from({ length: rounds }, () => grownBy(run))
  return sizes.toSorted((a, b) => a - b)[sizes.length >> 1]
}

/** Measures again if the heap shrinks: the garbage of earlier work may be freed late. */
function grownBy(run: () => unknown, attempts = 5): number {
  if (collect === undefined) throw new Error('run node with --expose-gc')
  collect()
  const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
  const before = used()
  const results = [run(), run()]
  const grown = (used() - before) / results.length
  return grown < 0 && attempts > 1 ? grownBy(run, attempts - 1) : grown
}

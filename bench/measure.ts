// Times variants of the same work against each other: interleaved in one process, several rounds, median of the CPU time
// that the process used. Wall time on a shared machine says more about the neighbours than about the code.

export interface Variant {
  readonly name: string
  /** Returns its result, which is kept until the next call, so that making something lasting is part of the price. */
  readonly run: () => unknown
}

export interface Timing {
  readonly name: string
  /** CPU microseconds for one call. */
  readonly micros: number
}

/** Keeps results alive over a few calls. */
const kept: unknown[] = new Array<unknown>(8).fill(undefined)

const WARM_UP_MICROS = 600_000

const collect = (globalThis as { gc?: () => void }).gc

export function measure(variants: readonly Variant[], callsPerRound: number, rounds: number): Timing[] {
  for (const { run } of variants) warmUp(run)
  const times = variants.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [v, variant] of variants.entries()) {
      collect?.()
      const before = process.cpuUsage()
      for (let call = 0; call < callsPerRound; call++) kept[call & 7] = variant.run()
      times[v].push(spent(before) / callsPerRound)
    }
  }
  kept.fill(undefined)
  return variants.map(({ name }, v) => ({ name, micros: median(times[v]) }))
}

/** The optimising compiler runs beside the program and is late on a busy machine: small work needs many calls first. */
function warmUp(run: () => unknown): void {
  const start = process.cpuUsage()
  for (let calls = 0; calls < 3 || (calls < 20_000 && spent(start) < WARM_UP_MICROS); calls++) kept[0] = run()
}

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

/** How many times as quick as `peer` the variant `ours` was. */
export function ratio(timings: readonly Timing[], peer: string, ours: string): number {
  const micros = (name: string): number => timings.find(timing => timing.name === name)?.micros ?? NaN
  return micros(peer) / micros(ours)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}

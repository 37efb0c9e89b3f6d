// The time ledgers of a Node.js service whose ledger is known by construction. The program's own clocks are the truth.
//
// On a busy machine the program waits for a CPU, and its samples are late. Waiting for a CPU is an entry of its own, and a late sample can
// only be wrong about the time since the one before it. So the tests allow for the time by which the samples of a span are late, and record
// again if that is much.
import { fileLedgers } from '@hearth/profile'
import type { EntryKind } from '@hearth/profile'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ProgramResult } from './testing/run-program.ts'
import { runProgram } from './testing/run-program.ts'

interface Part {
  readonly name: string
  readonly kind: EntryKind
  readonly nanos: number
  /** The time with everything around it, in nanoseconds. */
  readonly around: number
  /** Time without anything to do for the event loop, in nanoseconds. */
  readonly idle: number
  /** CPU time of the thread, in nanoseconds. */
  readonly cpu: number
  readonly traceId: string
  readonly spanId: string
  readonly start: string
  readonly end: string
}

/** A sample every 10 ms: each end of a stretch is off by up to a period. The stated errors add to it. */
const PERIOD = 10e6
/** Times of spans and of samples are read from clocks with a resolution of a millisecond. */
const RESOLUTION = 2e6
/** The program is recorded again if the samples of a part are later than this in total. */
const MAX_LATE = 50e6
const MAX_RECORDINGS = 3

const PARTS = [
  ['burn', 'main'],
  ['timer', 'main'],
  ['victim', 'main'],
  ['culprit', 'main'],
  ['lock', 'worker'],
] as const
type Program = (typeof PARTS)[number][1]

let result: ProgramResult

beforeAll(async () => {
  for (let recording = 1; recording <= MAX_RECORDINGS; recording++) {
    result = await runProgram('ledger-program.ts', { node: ['--expose-gc'] })
    if (result.status !== 0 || result.stderr !== '') throw new Error(`the program failed: ${result.stderr}`)
    if (PARTS.every(([name, program]) => ledgerOf(program, name).late <= MAX_LATE)) break
  }
}, 300_000)

function ledgerOf(program: Program, name: string) {
  const parts = result.json(program) as readonly Part[]
  const profiles = result.profiles(program)
  if (profiles === undefined) throw new Error(`no profiles of ${program}: ${result.stderr}`)
  const found = fileLedgers(
    profiles,
    parts.map(({ start, end, ...span }) => ({ ...span, parentSpanId: '', start: BigInt(start), end: BigInt(end) })),
  )
  const row = parts.findIndex(part => part.name === name)
  if (found === undefined || row === -1) throw new Error(`no span ${name}`)
  const part = parts[row]
  const { entries, duration } = found.ledgers.of(row)
  const nanosOf = (kind: EntryKind): number => Number(entries.find(entry => entry.kind === kind)?.nanos ?? 0n)
  const late = latenessOf(found.events, part)
  return {
    part,
    entries,
    duration,
    nanosOf,
    details: entries.find(({ kind }) => kind === part.kind)?.details ?? [],
    late,
    tolerance: entries.reduce((sum, { error }) => sum + Number(error), 2 * PERIOD + RESOLUTION + late),
  }
}

/**
 * The time in the part by which its samples are late, in nanoseconds. The agent merges the samples of an idle event loop, so that they
 * are late only where the event loop was not idle.
 */
function latenessOf(
  { kinds, length, kind, time, node, frame, frames }: NonNullable<ReturnType<typeof fileLedgers>>['events'],
  part: Part,
): number {
  const [start, end] = [BigInt(part.start), BigInt(part.end)]
  let late = 0
  let previous = start
  const add = (until: bigint): void => {
    const covered = Number((until < end ? until : end) - previous)
    late += Math.max(0, covered - PERIOD)
  }
  for (let row = 0; row < length; row++) {
    if (kinds[kind[row]].type !== 'wall' || time[row] <= previous) continue
    const isIdle = node[row] !== -1 && frames.name[frame[node[row]]] === '(idle)'
    if (part.kind !== 'io' || !isIdle) add(time[row])
    previous = time[row]
    if (previous >= end) return late
  }
  // No sample stands for the rest.
  add(end)
  return late
}

/** The least time of the part's kind. Code of the runtime interrupts waits. */
function leastOf({ kind, nanos, idle, cpu }: Part): number {
  if (kind === 'io') return idle
  return kind === 'lock' ? nanos - cpu : nanos
}

describe('ledger of a Node.js service', () => {
  it.each(PARTS)('finds the time of %s', (name, program) => {
    const { part, entries, duration, nanosOf, tolerance } = ledgerOf(program, name)
    // Collections are measured and may interrupt everything. Code also waits for a CPU.
    const explained = nanosOf(part.kind) + nanosOf('runnable') + nanosOf('runtime')
    expect(explained).toBeGreaterThan(leastOf(part) - tolerance)
    if (part.kind === 'own-cpu') expect(nanosOf('own-cpu') + nanosOf('runtime')).toBeGreaterThan(part.cpu - tolerance)
    expect(Number(duration)).toBeLessThan(part.around + RESOLUTION)
    expect(entries.reduce((sum, { nanos }) => sum + nanos, 0n)).toBe(duration)
  })

  it('finds the pauses of the collector', () => {
    const { part, duration, nanosOf } = ledgerOf('main', 'collect')
    // The allocations before are code of the program.
    expect(nanosOf('runtime')).toBeGreaterThan(0)
    expect(nanosOf('runtime')).toBeLessThan(part.around + RESOLUTION)
    expect(Number(duration)).toBeLessThan(part.around + RESOLUTION)
  })

  it('names what kept the event loop busy and what a span waited for', () => {
    expect(ledgerOf('main', 'victim').details[0]).toMatchObject({ name: 'culprit', count: 1 })
    expect(ledgerOf('main', 'timer').details.map(({ name }) => name)).toContain('(timer)')
  })
})

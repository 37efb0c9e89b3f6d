// The time ledgers of a Node.js service whose ledger is known by construction. The program's own clock is the truth.
import { fileLedgers } from '@hearth/profile'
import type { EntryKind } from '@hearth/profile'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ProgramResult } from './testing/run-program.ts'
import { runProgram } from './testing/run-program.ts'

interface Part {
  readonly name: string
  readonly kind: EntryKind
  readonly nanos: number
  /** Time without anything to do for the event loop, in nanoseconds. */
  readonly idle: number
  /** CPU time of the process, in nanoseconds. */
  readonly cpu: number
  readonly traceId: string
  readonly spanId: string
  readonly start: string
  readonly end: string
}

/** A sample every 10 ms: each end of a stretch is off by up to a period. The stated errors add to it. */
const PERIOD = 10e6

let result: ProgramResult | undefined

/** Runs the program for the first test, and again if a test is retried: the same times would only fail again. */
beforeEach(async ({ task }) => {
  if (result !== undefined && (task.result?.retryCount ?? 0) === 0) return
  result = await runProgram('ledger-program.ts', { node: ['--expose-gc'] })
  if (result.status !== 0 || result.stderr !== '') throw new Error(`the program failed: ${result.stderr}`)
})

function ledgerOf(program: 'main' | 'worker', name: string) {
  const parts = result?.json(program) as readonly Part[]
  const profiles = result?.profiles(program)
  if (profiles === undefined) throw new Error(`no profiles of ${program}: ${result?.stderr}`)
  const found = fileLedgers(
    profiles,
    parts.map(({ start, end, ...span }) => ({ ...span, parentSpanId: '', start: BigInt(start), end: BigInt(end) })),
  )
  const row = parts.findIndex(part => part.name === name)
  if (found === undefined || row === -1) throw new Error(`no span ${name}`)
  const { entries, duration } = found.ledgers.of(row)
  const entry = entries.find(({ kind }) => kind === parts[row].kind)
  return {
    part: parts[row],
    entries,
    duration,
    nanos: Number(entry?.nanos ?? 0n),
    entry,
  }
}

/**
 * The least time of the part's kind. Code of the runtime, such as a collection, interrupts waits. If the machine is busy, it also waits
 * for a CPU, so that an interruption takes longer than its CPU time: the event loop knows how long it really waited.
 */
function leastOf({ kind, nanos, idle, cpu }: Part): number {
  if (kind === 'io') return idle
  return kind === 'lock' ? nanos - cpu : nanos
}

describe('ledger of a Node.js service', () => {
  it.each([
    ['burn', 'main'],
    ['timer', 'main'],
    ['victim', 'main'],
    ['culprit', 'main'],
    ['lock', 'worker'],
  ] as const)('finds the time of %s', (name, program) => {
    const { part, nanos, entries, duration } = ledgerOf(program, name)
    // On a busy machine, code also waits for a CPU, and the profiler misses samples. The program's clock includes both.
    const late = entries.find(({ kind }) => kind === 'runnable')
    const missed = Number(entries.find(({ kind }) => kind === 'unknown')?.nanos ?? 0n)
    // A late sample stands for all of the time before it, so that any entry can have time of another, as its error states.
    const tolerance = entries.reduce((sum, each) => sum + Number(each.error), 2 * PERIOD)
    const explained = nanos + Number(late?.nanos ?? 0n)
    expect(explained).toBeLessThan(part.nanos + tolerance)
    expect(explained + missed).toBeGreaterThan(leastOf(part) - tolerance)
    // The profiler may miss samples, but not most of them.
    expect(explained).toBeGreaterThan(0.5 * leastOf(part) - tolerance)
    if (part.kind === 'own-cpu') expect(nanos).toBeGreaterThan(part.cpu - tolerance)
    expect(entries.reduce((sum, each) => sum + each.nanos, 0n)).toBe(duration)
  })

  it('finds the pauses of the collector', () => {
    const { part, nanos, entries } = ledgerOf('main', 'collect')
    // The program's clock includes the allocations before, which are its own code.
    const own = Number(entries.find(({ kind }) => kind === 'own-cpu')?.nanos ?? 0n)
    expect(nanos).toBeGreaterThan(0)
    expect(nanos + own).toBeLessThan(part.nanos + 2 * PERIOD)
  })

  it('names what kept the event loop busy and what a span waited for', () => {
    expect(ledgerOf('main', 'victim').entry?.details[0]).toMatchObject({ name: 'culprit', count: 1 })
    expect(ledgerOf('main', 'timer').entry?.details.map(({ name }) => name)).toContain('(timer)')
  })
})

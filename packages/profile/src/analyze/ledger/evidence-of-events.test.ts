import { describe, expect, it } from 'vitest'
import { framesOfRows } from '../tree/frame-table.ts'
import { EVIDENCE_KINDS } from './evidence.ts'
import type { ObservedEvents } from './evidence-of-events.ts'
import { evidenceOfEvents } from './evidence-of-events.ts'

const NAMES = ['work', '(idle)', '(garbage collector)', 'runtime.gopark', 'sync.(*Mutex).Lock', 'time.Sleep']
const PERIODIC = { unit: 'nanoseconds', periodUnit: 'nanoseconds', period: 10_000_000n }
const MS = 1_000_000

type Row = readonly [type: string, at: number, length: number, leaf: string, link?: number]

/** Rows of one thread, in milliseconds. `runtime.gopark` is called by the name after it. */
function eventsOf(rows: readonly Row[], period = PERIODIC.period): ObservedEvents {
  const types = [...new Set(rows.map(([type]) => type))]
  const path = (leaf: string): number => NAMES.indexOf(leaf)
  return {
    kinds: types.map(type => ({
      ...PERIODIC,
      type,
      clock: type === 'cpu' ? 'cpu' : 'wall',
      period: type === 'wall' || type === 'cpu' ? period : 1n,
    })),
    states: [''],
    length: rows.length,
    thread: new Uint32Array(rows.length),
    kind: Uint32Array.from(rows, ([type]) => types.indexOf(type)),
    time: BigInt64Array.from(rows, ([, at]) => BigInt(at * MS)),
    value: BigInt64Array.from(rows, ([, , length]) => BigInt(length * MS)),
    node: Int32Array.from(rows, ([, , , leaf]) => path(leaf)),
    state: new Uint8Array(rows.length),
    link: Uint32Array.from(rows, ([, , , , link = 0]) => link),
    // gopark (3) is called by Lock (4).
    parent: Int32Array.from(NAMES, (_, i) => (i === 3 ? 4 : -1)),
    frame: Uint32Array.from(NAMES.keys()),
    frames: framesOfRows(NAMES.map(name => ({ name }))),
  }
}

function evidenceOf(rows: readonly Row[], period?: bigint): string[] {
  const { evidence } = evidenceOfEvents(eventsOf(rows, period), { base: 0n, lanes: [0], wide: [1], owners: [-1, 7] })
  return Array.from({ length: evidence.length }, (_, i) => {
    const kind = EVIDENCE_KINDS[evidence.kind[i]]
    const owner = evidence.owner[i] === -1 ? '' : ` of ${evidence.owner[i]}`
    return `${kind} ${evidence.start[i] / MS}-${evidence.end[i] / MS} lane ${evidence.lane[i]}${owner}${evidence.sampled[i] === 1 ? ' sampled' : ''}`
  })
}

describe('evidenceOfEvents', () => {
  it('lets a wall sample stand for the time since the sample before', () => {
    expect(
      evidenceOf([
        ['wall', 10, 10, 'work', 1],
        ['wall', 300, 290, '(idle)'],
        ['wall', 310, 10, '(garbage collector)'],
      ]),
    ).toEqual(['run 0-10 lane 0 of 7 sampled', 'idle 10-300 lane 0 sampled', 'runtime 300-310 lane 0 sampled'])
  })

  it('divides a wall sample by its CPU time into running, waiting for a CPU and blocked', () => {
    expect(
      evidenceOf([
        ['wall', 10, 10, 'work'],
        ['cpu', 10, 4, 'work'],
        ['wall', 110, 100, 'work'],
        ['wall', 210, 100, 'sync.(*Mutex).Lock'],
      ]),
    ).toEqual([
      'run 6-10 lane 0 sampled',
      'runnable 0-6 lane 0 sampled',
      'runnable 10-110 lane 0 sampled',
      'lock 110-210 lane 0 sampled',
    ])
  })

  it('takes a thread without CPU time for blocked only if its samples are in time', () => {
    const rows = [['wall', 100, 100, 'work', 0] as const, ['cpu', 100, 0, 'work', 0] as const]
    expect(evidenceOf(rows, 100_000_000n)).toEqual(['io 0-100 lane 0 sampled'])
    expect(evidenceOf(rows)).toEqual(['runnable 0-100 lane 0 sampled'])
  })

  it('uses CPU samples alone where there are no wall samples', () => {
    expect(evidenceOf([['cpu', 20, 10, 'work', 1]])).toEqual(['run 10-20 lane 0 of 7 sampled'])
  })

  it('classifies measured waits by the functions of their stacks', () => {
    expect(
      evidenceOf([
        ['off_cpu', 0, 5, 'runtime.gopark'],
        ['off_cpu', 5, 5, 'time.Sleep'],
        ['runnable', 10, 1, 'work'],
        ['socket_read_time', 11, 2, 'work'],
        ['mutex_delay', 13, 2, 'work'],
      ]),
    ).toEqual(['lock 0-5 lane 0', 'io 5-10 lane 0', 'runnable 10-11 lane 0', 'io 11-13 lane 0', 'lock 13-15 lane 0'])
  })

  it('counts pauses of Go for the whole process and not the collection beside the program', () => {
    expect(
      evidenceOf([
        ['gc', 0, 50, 'work'],
        ['stop_the_world', 10, 1, 'work'],
      ]),
    ).toEqual(['runtime 10-11 lane 1'])
    expect(evidenceOf([['gc', 0, 50, 'work']])).toEqual(['runtime 0-50 lane 0'])
  })

  it('uses delays of the event loop only where there are no samples', () => {
    expect(evidenceOf([['event_loop_delay', 0, 50, 'work']])).toEqual(['run 0-50 lane 0'])
    expect(
      evidenceOf([
        ['event_loop_delay', 0, 50, 'work'],
        ['cpu', 60, 10, 'work'],
      ]),
    ).toEqual(['run 50-60 lane 0 sampled'])
  })

  it('ignores samples without a thread', () => {
    const { evidence } = evidenceOfEvents(eventsOf([['cpu', 10, 10, 'work']]), {
      base: 0n,
      lanes: [1],
      wide: [1],
      owners: [-1],
    })
    expect(evidence.length).toBe(0)
  })

  it('ignores values that are no times', () => {
    const events = eventsOf([['alloc_space', 0, 5, 'work']])
    expect(evidenceOfEvents(events, { base: 0n, lanes: [0], wide: [1], owners: [-1] }).evidence.length).toBe(0)
  })
})

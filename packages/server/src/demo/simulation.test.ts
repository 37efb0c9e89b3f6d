import { describe, expect, it } from 'vitest'
import { Random } from './random.ts'
import type { Mix, Place, Work } from './simulation.ts'
import { Lock, Process, Simulation } from './simulation.ts'

const MIX: Mix = [[1, [{ name: 'work', file: 'a.ts', line: 1 }]]]

function opened(bytes = Infinity): { simulation: Simulation; process: Process } {
  const collections = { web: { bytes, pause: [10, 10] as const, isWide: false } }
  return {
    simulation: new Simulation({ now: 0, random: new Random(1), collections }),
    process: new Process('web', '1', 0, 0),
  }
}

describe('Simulation', () => {
  it('runs the work of one thread in turn', () => {
    const { simulation, process } = opened()
    const at: Place = { thread: process.loop(), span: undefined }
    const ends: number[] = []
    const work = function* (): Work {
      yield { cpu: 30, at, mix: MIX }
      ends.push(simulation.now)
    }
    for (const start of [0, 10, 20]) simulation.start(start, work())
    simulation.advance(100)
    expect(ends).toEqual([30, 60, 90])
    expect(process.cpu.map(({ from, to }) => [from, to])).toEqual([
      [0, 30],
      [30, 60],
      [60, 90],
    ])
  })

  it('passes a lock to those who wait in the order of their requests', () => {
    const { simulation } = opened()
    const lock = new Lock()
    const got: (readonly [name: string, at: number])[] = []
    const work = function* (name: string): Work {
      yield { lock }
      got.push([name, simulation.now])
      yield { sleep: 50 }
      simulation.release(lock)
    }
    for (const [i, name] of ['a', 'b', 'c'].entries()) simulation.start(i, work(name))
    simulation.advance(120)
    expect(got).toEqual([
      ['a', 0],
      ['b', 50],
      ['c', 100],
    ])
    simulation.advance(200)
    expect(lock.isTaken).toBe(false)
  })

  it('pauses a thread for garbage collections', () => {
    const { simulation, process } = opened(150)
    const at: Place = { thread: process.loop(), span: undefined }
    simulation.start(
      0,
      (function* (): Work {
        for (let i = 0; i < 3; i++) yield { cpu: 10, at, mix: MIX, bytes: 100 }
      })(),
    )
    simulation.advance(100)
    expect(process.pauses.map(({ from, to }) => [from, to])).toEqual([[20, 30]])
    expect(process.cpu.map(({ from }) => from)).toEqual([0, 10, 30])
  })
})

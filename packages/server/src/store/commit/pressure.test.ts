import { describe, expect, test } from 'vitest'
import { DrainRate, Pressure } from './pressure.ts'

const idle = { inFlightBytes: 0, backlogBytes: 0, backlogGroups: 0, engineFault: undefined }
const limits = { memoryBytes: 1000, backlogBytes: 1000, backlogGroups: 10, diskReserveBytes: 1000 }

describe('Pressure', () => {
  test('memory closes at its limit and opens at four fifths', () => {
    const pressure = new Pressure(limits, () => 0)
    const taken = (inFlightBytes: number, bytes = 10) =>
      pressure.refusal(bytes, { ...idle, inFlightBytes }) === undefined
    expect([taken(990), taken(991), taken(801), taken(800), taken(801)]).toEqual([true, false, false, true, true])
    // What does not fit now is refused alone; smaller ones are not.
    expect([taken(500, 501), taken(500, 500), taken(0, 5000)]).toEqual([false, true, true])
  })

  test('the backlog closes by bytes or groups', () => {
    const pressure = new Pressure(limits, () => 0)
    const taken = (backlogBytes: number, backlogGroups: number) =>
      pressure.refusal(1, { ...idle, backlogBytes, backlogGroups }) === undefined
    expect([taken(999, 9), taken(1000, 0), taken(801, 0), taken(800, 0)]).toEqual([true, false, false, true])
    expect([taken(0, 10), taken(0, 9), taken(0, 8)]).toEqual([false, false, true])
  })

  test('the disk closes below its reserve, counting what was written since it was looked at', () => {
    const pressure = new Pressure(limits, () => 0)
    const taken = () => pressure.refusal(1, idle) === undefined
    expect([taken(), pressure.freeBytes]).toEqual([true, -1])
    pressure.setSpace({ free: 1100, total: 1e6 })
    expect(taken()).toBe(true)
    pressure.addWritten(101)
    expect([taken(), pressure.freeBytes]).toEqual([false, 999])
    pressure.setSpace({ free: 1249, total: 1e6 })
    expect(taken()).toBe(false)
    pressure.setSpace({ free: 1250, total: 1e6 })
    expect(taken()).toBe(true)
  })

  test.each([
    [10e9, 256 * 2 ** 20],
    [100e9, 1e9],
    [100e12, 4 * 2 ** 30],
  ])('the reserve of a disk of %d bytes is %d', (total, reserve) => {
    const { memoryBytes, backlogBytes, backlogGroups } = limits
    for (const [free, closed] of [
      [reserve - 1, true],
      [reserve, false],
    ] as const) {
      const pressure = new Pressure({ memoryBytes, backlogBytes, backlogGroups }, () => 0)
      pressure.setSpace({ free, total })
      pressure.update(idle)
      expect(pressure.isClosed('disk')).toBe(closed)
    }
  })

  test('says for how long, by how fast the backlog has shrunk', () => {
    let now = 0
    const pressure = new Pressure({ ...limits, backlogBytes: 1e6 }, () => now)
    for (; now < 60_000; now += 100) pressure.backlogRate.add(5100)
    const refusal = pressure.refusal(1, { ...idle, backlogBytes: 1e6 })
    expect(refusal).toMatchObject({ reason: 'queue-full', retryAfterSeconds: 4 })
  })
})

test('DrainRate is right from the first second on, forgets, and stays within 1 to 30', () => {
  let now = 5000
  const rate = new DrainRate(() => now)
  expect(rate.secondsFor(1)).toBe(30)
  for (let i = 0; i < 10; i++) {
    now += 100
    rate.add(100)
  }
  expect(rate.secondsFor(1)).toBe(1)
  expect(rate.secondsFor(9_500)).toBe(10)
  expect(rate.secondsFor(1e9)).toBe(30)
  now += 3_600_000
  expect(rate.secondsFor(9_500)).toBe(30)
})

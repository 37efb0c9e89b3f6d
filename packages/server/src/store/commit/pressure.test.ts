import { describe, expect, test } from 'vitest'
import { DrainRate, Pressure } from './pressure.ts'

const idle = { inFlightBytes: 0, backlogBytes: 0, backlogGroups: 0, engineFault: undefined }
const limits = { memoryBytes: 1000, backlogBytes: 1000, backlogGroups: 10, diskReserveBytes: 1000 }

describe('Pressure', () => {
  test('closes at the memory limit and reopens at 80 %', () => {
    const pressure = new Pressure(limits, () => 0)
    const accepts = (inFlightBytes: number, bytes = 10) =>
      pressure.refusal(bytes, { ...idle, inFlightBytes }) === undefined
    expect([accepts(990), accepts(991), accepts(801), accepts(800), accepts(801)]).toEqual([
      true,
      false,
      false,
      true,
      true,
    ])
    // A request that does not fit is rejected, smaller ones are not.
    expect([accepts(500, 501), accepts(500, 500), accepts(0, 5000)]).toEqual([false, true, true])
  })

  test('closes by bytes or groups of the backlog', () => {
    const pressure = new Pressure(limits, () => 0)
    const accepts = (backlogBytes: number, backlogGroups: number) =>
      pressure.refusal(1, { ...idle, backlogBytes, backlogGroups }) === undefined
    expect([accepts(999, 9), accepts(1000, 0), accepts(801, 0), accepts(800, 0)]).toEqual([true, false, false, true])
    expect([accepts(0, 10), accepts(0, 9), accepts(0, 8)]).toEqual([false, false, true])
  })

  test('closes below the disk reserve and counts bytes written since the last reading', () => {
    const pressure = new Pressure(limits, () => 0)
    const accepts = () => pressure.refusal(1, idle) === undefined
    expect([accepts(), pressure.freeBytes]).toEqual([true, -1])
    pressure.setSpace({ free: 1100, total: 1e6 })
    expect(accepts()).toBe(true)
    pressure.addWritten(101)
    expect([accepts(), pressure.freeBytes]).toEqual([false, 999])
    pressure.setSpace({ free: 1249, total: 1e6 })
    expect(accepts()).toBe(false)
    pressure.setSpace({ free: 1250, total: 1e6 })
    expect(accepts()).toBe(true)
  })

  test.each([
    [10e9, 256 * 2 ** 20],
    [100e9, 1e9],
    [100e12, 4 * 2 ** 30],
  ])('reserves for a disk of %d bytes %d bytes', (total, reserve) => {
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

  test('estimates the retry time from the recent rate', () => {
    let now = 0
    const pressure = new Pressure({ ...limits, backlogBytes: 1e6 }, () => now)
    for (; now < 60_000; now += 100) pressure.backlogRate.add(5100)
    const refusal = pressure.refusal(1, { ...idle, backlogBytes: 1e6 })
    expect(refusal).toMatchObject({ reason: 'queue-full', retryAfterSeconds: 4 })
  })
})

test('DrainRate is correct from the first second on, decays, and stays between 1 and 30', () => {
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

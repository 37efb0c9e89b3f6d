import { describe, expect, it } from 'vitest'
import { Scheduler } from './scheduler.ts'

describe('Scheduler', () => {
  it('runs a job once at a time, and only on the leader', async () => {
    let [leader, runs] = [true, 0]
    const scheduler = new Scheduler({ isLeader: () => leader, onError: () => {} })
    let finish = (): void => {}
    scheduler.add({
      name: 'count',
      everyMs: 3_600_000,
      run: () => {
        runs++
        return new Promise<void>(resolve => (finish = resolve))
      },
    })
    const both = [scheduler.runNow('count'), scheduler.runNow('count')]
    await expect.poll(() => runs).toBe(1)
    expect(scheduler.states()).toMatchObject([{ name: 'count', isRunning: true }])
    finish()
    await Promise.all(both)
    leader = false
    await scheduler.runNow('count')
    expect(runs).toBe(1)
    await scheduler.stop()
  })

  it('reports the error of the last run, and runs again', async () => {
    const errors: string[] = []
    let fails = true
    const scheduler = new Scheduler({
      isLeader: () => true,
      onError: (error, job) => errors.push(`${job}: ${(error as Error).message}`),
    })
    scheduler.add({
      name: 'a',
      everyMs: 3_600_000,
      run: async () => (fails ? Promise.reject(new Error('no')) : undefined),
    })
    await scheduler.runNow('a')
    expect([errors, scheduler.states()[0].error]).toEqual([['a: no'], 'no'])
    fails = false
    await scheduler.runNow('a')
    expect(scheduler.states()[0].error).toBeUndefined()
    await expect(scheduler.runNow('b')).rejects.toThrow('no job is named b')
  })
})

import { describe, expect, it } from 'vitest'
import { Turns } from './take-turns.ts'

describe('Turns', () => {
  it('runs at most the given number of tasks at once and skips cancelled ones', async () => {
    const turns = new Turns(2)
    const { signal } = new AbortController()
    const [gone, ran]: [AbortController, number[]] = [new AbortController(), []]
    const ends: (() => void)[] = []
    const task = (id: number): Promise<void> =>
      new Promise(resolve => {
        ran.push(id)
        ends.push(resolve)
      })
    const all = [turns.run(signal, () => task(1)), turns.run(signal, () => task(2))]
    const skipped = turns.run(gone.signal, () => task(3))
    all.push(turns.run(signal, () => task(4)))
    expect(ran).toEqual([1, 2])
    gone.abort()
    ends[0]()
    await expect(skipped).rejects.toThrow('aborted')
    await expect.poll(() => ran).toEqual([1, 2, 4])
    ends.forEach(end => end())
    await Promise.all(all)
  })
})

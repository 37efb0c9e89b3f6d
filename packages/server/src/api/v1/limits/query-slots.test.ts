import { expect, test } from 'vitest'
import { RequestError } from '../response/request-error.ts'
import { QuerySlots } from './query-slots.ts'

const never = new AbortController().signal
const settle = () => new Promise(resolve => setImmediate(resolve))

function gated() {
  const gates: (() => void)[] = []
  return { gates, task: () => new Promise<void>(resolve => gates.push(resolve)) }
}

test('runs as many as there are slots, and the others in order', async () => {
  const slots = new QuerySlots(3, () => ({ running: 2, waiting: 2 }))
  const { gates, task } = gated()
  const ended: number[] = []
  const all = [0, 1, 2, 3].map(i => slots.run('a', never, task).then(() => ended.push(i)))
  await settle()
  expect(gates.length).toBe(2)
  await expect(slots.run('a', never, task)).rejects.toThrow(RequestError)
  // Another tenant has its own slots.
  expect(slots.state).toEqual({ running: 2, waiting: 2 })
  await slots.run('b', never, async () => {})
  gates[1]()
  await settle()
  expect([gates.length, ended]).toEqual([3, [1]])
  gates[0]()
  gates[2]()
  await settle()
  gates[3]()
  await Promise.all(all)
  expect(ended).toEqual([1, 0, 2, 3])
})

test('frees the place of a caller that aborts and the slot of one that fails', async () => {
  const slots = new QuerySlots(1, () => ({ running: 1, waiting: 1 }))
  const { gates, task } = gated()
  const first = slots.run('a', never, task)
  const leaving = new AbortController()
  const second = slots.run('a', leaving.signal, task)
  leaving.abort(new Error('left'))
  await expect(second).rejects.toThrow('left')
  const third = slots.run('a', never, () => Promise.reject(new Error('failed')))
  gates[0]()
  await first
  await expect(third).rejects.toThrow('failed')
  expect(await slots.run('a', never, async () => 'free')).toBe('free')
  await expect(slots.run('a', AbortSignal.abort(new Error('gone')), async () => 1)).rejects.toThrow('gone')
  expect(slots.state).toEqual({ running: 0, waiting: 0 })
})

test('serves the tenant with the fewest running queries next', async () => {
  const slots = new QuerySlots(2, tenant => ({ running: tenant === 'small' ? 1 : 2, waiting: 100 }))
  const began: string[] = []
  const { gates, task } = gated()
  const ask = (tenant: string) =>
    slots.run(tenant, new AbortController().signal, () => {
      began.push(tenant)
      return task()
    })
  const flood = Array.from({ length: 20 }, () => ask('flood'))
  const others = [ask('b'), ask('small'), ask('small'), ask('b')]
  await settle()
  expect(began).toEqual(['flood', 'flood'])
  for (let i = 0; i < 8; i++) {
    gates[i]()
    await settle()
  }
  // The first tenant had both slots. When one is free, another tenant gets it, and then they alternate.
  expect(
    began
      .slice(2, 9)
      .filter(tenant => tenant !== 'flood')
      .sort(),
  ).toEqual(['b', 'b', 'small', 'small'])
  for (let i = 8; i < 24; i++) {
    gates[i]()
    await settle()
  }
  await Promise.all([...flood, ...others])
  expect([began.length, slots.state]).toEqual([24, { running: 0, waiting: 0 }])
})

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { RuntimeEventLog } from './runtime-events.ts'

let log: RuntimeEventLog | undefined

afterEach(() => log?.stop())

function block(millis: number): void {
  const until = performance.now() + millis
  while (performance.now() < until);
}

function delaysOf({ time, nanos, type }: ReturnType<RuntimeEventLog['read']>): { time: number; nanos: number }[] {
  return Array.from(time, (at, i) => ({ time: at, nanos: nanos[i], type: type[i] })).filter(event => event.type === 0)
}

test('RuntimeEventLog records a long event loop turn, also in a thread that was idle before', async () => {
  log = new RuntimeEventLog()
  log.start()
  // Long enough for the quiet tick to apply.
  await sleep(300)
  const seen = log.count
  block(250)
  const until = Date.now()
  await sleep(10)
  const delays = delaysOf(log.read(seen))
  // The tick was due in the first 100 milliseconds of the block, and late by the rest of it.
  const isOfBlock = ({ time, nanos }: (typeof delays)[number]): boolean => nanos > 100e6 && time / 1000 < until
  expect(delays.filter(isOfBlock).length).toBe(1)
})

test('RuntimeEventLog records nothing after it stopped', async () => {
  log = new RuntimeEventLog()
  log.start()
  log.stop()
  const { count } = log
  block(60)
  await sleep(5)
  expect(log.count).toBe(count)
})

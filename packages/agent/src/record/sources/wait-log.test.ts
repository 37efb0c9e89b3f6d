import { AsyncLocalStorage } from 'node:async_hooks'
import { lookup } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WAIT_NAMES, WaitLog } from './wait-log.ts'

const API = Symbol.for('opentelemetry.js.api.1')
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN')
const IDS = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
const storage = new AsyncLocalStorage<object>()
const scope = globalThis as unknown as Record<symbol, unknown>
let log: WaitLog
let before: unknown

beforeEach(() => {
  before = scope[API]
  scope[API] = {
    context: {
      active: () => ({ getValue: (key: symbol) => (key === SPAN_KEY ? storage.getStore() : undefined) }),
    },
  }
  log = new WaitLog()
  log.start()
})
afterEach(() => {
  log.stop()
  scope[API] = before
})

const inSpan = <T>(work: () => Promise<T>): Promise<T> => storage.run({ spanContext: () => IDS }, work)

describe('WaitLog', () => {
  it('records how long a span waits for a timer', async () => {
    await inSpan(() => sleep(30))
    const { nanos, kind, labels } = log.read(0)
    expect(Array.from(kind, each => WAIT_NAMES[each])).toContain('(timer)')
    expect(nanos[kind.indexOf(0)]).toBeGreaterThan(29e6)
    expect(labels[kind.indexOf(0)]).toMatchObject(IDS)
  })

  it('ignores waits outside of spans and waits below a millisecond', async () => {
    await sleep(20)
    await inSpan(async () => await lookup('127.0.0.1'))
    expect(Array.from(log.read(0).kind, each => WAIT_NAMES[each])).not.toContain('(timer)')
  })

  it('records nothing after it stopped', async () => {
    log.stop()
    await inSpan(() => sleep(5))
    expect(log.count).toBe(0)
  })
})

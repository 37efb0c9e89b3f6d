import { expect, it } from 'vitest'
import type { Engine } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { Retention } from './retention.ts'

it('stops while the engine does not respond', async () => {
  let isAsked = false
  const engine: Pick<Engine, 'select'> = {
    select: (_sql, { signal } = {}) =>
      new Promise((_, reject) => {
        isAsked = true
        signal?.addEventListener('abort', () => reject(new EngineError('cancelled', 0, 'the query was cancelled')))
      }),
  }
  const errors: unknown[] = []
  const ignore = (): void => {}
  const retention = new Retention({
    engine: engine as Engine,
    layout: { cluster: undefined },
    log: { info: ignore, warn: ignore, error: (_fields, message) => errors.push(message) },
    keepOf: () => ({}) as never,
    pendingSince: () => undefined,
    forgetSymbols: async () => {},
  })
  retention.start()
  expect(isAsked).toBe(true)
  await retention.stop()
  expect(errors).toEqual([])
})

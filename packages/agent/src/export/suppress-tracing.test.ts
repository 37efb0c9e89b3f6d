import { afterEach, expect, test } from 'vitest'
import { withoutTracing } from './suppress-tracing.ts'

// The global object of every copy of @opentelemetry/api, and the key of @opentelemetry/core.
const API = Symbol.for('opentelemetry.js.api.1')
const SUPPRESS = Symbol.for('OpenTelemetry SDK Context Key SUPPRESS_TRACING')
const world = globalThis as { [API]?: unknown }
const before = world[API]
afterEach(() => {
  world[API] = before
})

class Context {
  readonly values: ReadonlyMap<symbol, unknown>

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.values = values
  }

  setValue(key: symbol, value: unknown): Context {
    return new Context(new Map(this.values).set(key, value))
  }
}

test('withoutTracing runs a function in a context that suppresses tracing', () => {
  const active = new Context(new Map([[Symbol.for('own'), 1]]))
  const contexts: Context[] = []
  world[API] = {
    version: '1.9.1',
    context: {
      active: () => active,
      with: (context: Context, run: () => unknown) => {
        contexts.push(context)
        return run()
      },
    },
  }
  expect(withoutTracing(() => 'result')).toBe('result')
  expect(contexts.map(({ values }) => [...values])).toEqual([
    [
      [Symbol.for('own'), 1],
      [SUPPRESS, true],
    ],
  ])
})

test('withoutTracing works without OpenTelemetry, and with a broken one', () => {
  world[API] = undefined
  expect(withoutTracing(() => 1)).toBe(1)
  world[API] = { context: {} }
  expect(withoutTracing(() => 2)).toBe(2)
})

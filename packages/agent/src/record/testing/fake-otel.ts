// The parts of OpenTelemetry's API and SDK that the recorder uses, without loading them: test runners resolve the real API to a
// build that Node cannot load. The programs beside this file run with the real one.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

const API = Symbol.for('opentelemetry.js.api.1')
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')
const BAGGAGE = Symbol.for('OpenTelemetry Baggage Key')

export class FakeContext {
  readonly #values: ReadonlyMap<symbol, unknown>

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key)
  }

  withSpan(span: object): FakeContext {
    return new FakeContext(new Map([...this.#values, [SPAN, span]]))
  }

  withBaggage(entries: Readonly<Record<string, string>>): FakeContext {
    const getEntry = (key: string): object | undefined =>
      Object.hasOwn(entries, key) ? { value: entries[key] } : undefined
    return new FakeContext(new Map([...this.#values, [BAGGAGE, { getEntry }]]))
  }
}

export const ROOT = new FakeContext()

export class FakeSpan {
  readonly traceId: string = randomBytes(16).toString('hex')
  readonly spanId: string = randomBytes(8).toString('hex')
  readonly name: string
  readonly attributes: Record<string, unknown> = {}
  ended = false
  startTime: readonly [number, number] = [0, 0]
  endTime: readonly [number, number] = [0, 0]

  constructor(name = '', ids: { readonly traceId?: string; readonly spanId?: string } = {}) {
    this.name = name
    Object.assign(this, ids)
  }

  spanContext(): { readonly traceId: string; readonly spanId: string } {
    return { traceId: this.traceId, spanId: this.spanId }
  }

  end(millis: number): void {
    this.ended = true
    this.endTime = [Math.floor(millis / 1000), (millis % 1000) * 1e6]
  }
}

/** Methods belong to the class, as in the SDK. */
export class FakeManager {
  readonly #storage = new AsyncLocalStorage<FakeContext>()

  active(): FakeContext {
    return this.#storage.getStore() ?? ROOT
  }

  with<A extends unknown[], T>(context: FakeContext, fn: (...args: A) => T, thisArg?: unknown, ...args: A): T {
    return this.#storage.run(context, () => fn.apply(thisArg, args))
  }

  attach(context: FakeContext): { dispose(): void } {
    const before = this.active()
    this.#storage.enterWith(context)
    return { dispose: () => this.#storage.enterWith(before) }
  }

  /** Like a tracer's startActiveSpan. */
  startActiveSpan<T>(run: (span: FakeSpan) => T): T {
    const span = new FakeSpan()
    return this.with(this.active().withSpan(span), run, undefined, span)
  }
}

const scope = globalThis as unknown as Record<symbol, Record<string, unknown> | undefined>

/** Like registerGlobal. */
export function register(manager: FakeManager): void {
  const api = (scope[API] = scope[API] ?? { version: '1.9.1' })
  api['context'] = manager
}

/** Like unregisterGlobal. */
export function unregister(): void {
  const api = scope[API]
  if (api !== undefined) delete api['context']
}

/** Replaces the manager without an assignment. */
export function replace(manager: FakeManager): void {
  const api = scope[API]
  const property = { configurable: true, enumerable: true, writable: true, value: manager }
  if (api !== undefined) Object.defineProperty(api, 'context', property)
}

/** True if the global object has no watched properties. */
export function isPlain(): boolean {
  const api = scope[API]
  const properties = [Object.getOwnPropertyDescriptor(globalThis, API)]
  if (api !== undefined) properties.push(Object.getOwnPropertyDescriptor(api, 'context'))
  return properties.every(property => property?.get === undefined)
}

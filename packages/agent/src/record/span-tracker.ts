// Tells the profiler at every moment which span is active. The application's context manager is found by the global object
// that all copies of @opentelemetry/api share, whenever it is registered, and its `with` and `attach` are wrapped.
// - Where AsyncLocalStorage rests on AsyncContextFrame (Node 24; 22 with a switch) that is all: V8 carries the context across
//   await and callbacks by itself, and the profiler reads it from there.
// - Elsewhere (Node 20, 22) hooks around every callback set the context of what is about to run.
// Messages between threads carry no context in Node, so a worker's samples have the spans that were begun in the worker.
import type { AsyncHook, AsyncLocalStorage } from 'node:async_hooks'
import { createHook } from 'node:async_hooks'
import type { LabelChoice, OtelContext, SpanContext } from './span-context.ts'
import { spanContextOf } from './span-context.ts'

const API = Symbol.for('opentelemetry.js.api.1')
/** Callbacks inside callbacks; beyond it something went wrong with the pairs. */
const MAX_DEPTH = 1000

interface ContextManager {
  active(): OtelContext
  with(context: OtelContext, fn: (...args: unknown[]) => unknown, thisArg?: unknown, ...args: unknown[]): unknown
  attach?(context: OtelContext): { dispose(): void }
}

type Api = { context?: ContextManager | undefined } & Record<string, unknown>

/** Where the context of the running code goes. */
export type ContextSink = SetContext | CarriedContext

interface SetContext {
  readonly kind: 'set'
  readonly set: (context: SpanContext | undefined) => void
}

interface CarriedContext {
  readonly kind: 'carried'
  readonly storage: AsyncLocalStorage<object>
  readonly hold: (context: object) => object
}

const scope = globalThis as unknown as Record<symbol, Api | undefined>

export class SpanTracker {
  readonly #choice: LabelChoice
  readonly #sink: ContextSink
  #contexts = new WeakMap<OtelContext, SpanContext | object>()
  #manager: ContextManager | undefined
  #unwrap: (() => void) | undefined
  #hook: AsyncHook | undefined
  #current: SpanContext | undefined
  #before: (SpanContext | undefined)[] = []
  /** How many calls of `with` have not returned. */
  #scopes = 0
  /** Of the last question, which is mostly the next one too. */
  #lastContext: OtelContext | undefined
  #lastMade: SpanContext | undefined
  #isStopped = false

  constructor(choice: LabelChoice, sink: ContextSink) {
    this.#choice = choice
    this.#sink = sink
    this.#watch()
  }

  /** Looks whether another context manager was registered in a way that was not noticed. */
  refresh(): void {
    if (!this.#isStopped) this.#adopt(scope[API]?.context)
  }

  /** Must come before the profiler stops: setting a context on one that is stopped throws. */
  stop(): void {
    this.#isStopped = true
    this.#adopt(undefined)
    unwatch(scope, API)
    const api = scope[API]
    if (api !== undefined) unwatch(api, 'context')
    this.#contexts = new WeakMap()
    this.#lastContext = this.#lastMade = this.#current = undefined
  }

  /** The API's object, and the context manager in it, are assigned when the application's SDK starts. */
  #watch(): void {
    watch(scope, API, api => {
      if (typeof api !== 'object' || api === null) return
      watch(api as Api, 'context', manager => this.#adopt(manager as ContextManager | undefined))
    })
  }

  #adopt(manager: ContextManager | undefined): void {
    if (manager === this.#manager) return
    this.#unwrap?.()
    this.#unwrap = undefined
    this.#hook?.disable()
    this.#before = []
    this.#set(undefined)
    this.#manager = undefined
    if (typeof manager?.with !== 'function' || typeof manager.active !== 'function') return
    this.#manager = manager
    this.#unwrap = this.#sink.kind === 'set' ? this.#wrapSetting(manager) : this.#wrapCarrying(manager, this.#sink)
    // Enabled anew behind the manager's own hooks, so that these have run when ours asks.
    if (this.#sink.kind === 'set') this.#enableHook(manager)
  }

  #enableHook(manager: ContextManager): void {
    this.#hook = createHook({
      before: () => {
        const stack = this.#before
        if (stack.length >= MAX_DEPTH) stack.length = 0
        stack.push(this.#current)
        this.#set(this.#active(manager))
      },
      after: () => {
        const before = this.#before.pop()
        // Only a callback inside another one gives the word back. After an outermost one the next `before` sets what it
        // needs: mostly the same, as a request goes on from await to await, and a call into the addon is saved each time.
        if (this.#before.length > 0 || this.#scopes > 0) this.#set(before)
      },
    }).enable()
  }

  #wrapSetting(manager: ContextManager): () => void {
    return wrap(manager, {
      with:
        original =>
        (context, fn, thisArg, ...args) => {
          const before = this.#current
          this.#scopes++
          this.#set(this.#of(context))
          try {
            return original(context, fn, thisArg, ...args)
          } finally {
            this.#scopes--
            this.#set(before)
          }
        },
      attach: original => context => {
        const token = original(context)
        this.#set(this.#of(context))
        return onDispose(token, () => this.#set(this.#active(manager)))
      },
    })
  }

  #wrapCarrying(manager: ContextManager, sink: CarriedContext): () => void {
    const enter = (context: OtelContext): void => {
      const holder = this.#holderOf(context, sink)
      if (holder !== undefined) sink.storage.enterWith(holder)
    }
    return wrap(manager, {
      with:
        original =>
        (context, ...rest) => {
          const holder = this.#holderOf(context, sink)
          if (holder === undefined) return original(context, ...rest)
          return sink.storage.run(holder, () => original(context, ...rest))
        },
      attach: original => context => {
        const token = original(context)
        enter(context)
        return onDispose(token, () => enter(manager.active()))
      },
    })
  }

  /** The native object that stands for the context; the same for the same context, also for one that says nothing. */
  #holderOf(context: OtelContext, sink: CarriedContext): object | undefined {
    // Who wrapped our `with` still calls it afterwards.
    if (this.#isStopped) return undefined
    try {
      let holder = this.#contexts.get(context)
      if (holder === undefined) {
        holder = sink.hold(spanContextOf(context, this.#choice) ?? NOTHING)
        this.#contexts.set(context, holder)
      }
      return holder
    } catch {
      return undefined
    }
  }

  /** What a hook throws ends the process, so nothing may be thrown by a manager. */
  #active(manager: ContextManager): SpanContext | undefined {
    try {
      return this.#of(manager.active())
    } catch {
      return undefined
    }
  }

  #of(context: OtelContext): SpanContext | undefined {
    if (context === this.#lastContext) return this.#lastMade
    // Whatever the application gives to `with` is for its manager to judge.
    if (!(context instanceof Object)) return undefined
    let made = this.#contexts.get(context)
    if (made === undefined) {
      made = spanContextOf(context, this.#choice) ?? NOTHING
      this.#contexts.set(context, made)
    }
    this.#lastContext = context
    return (this.#lastMade = made === NOTHING ? undefined : (made as SpanContext))
  }

  #set(context: SpanContext | undefined): void {
    // Most callbacks of a process run under no span, and a call into the addon costs more than the comparison.
    if (this.#sink.kind !== 'set' || context === this.#current || this.#isStopped) return
    this.#current = context
    try {
      this.#sink.set(context)
    } catch {
      // Somebody else stopped the profiler; there are no more samples to tell apart.
      this.#isStopped = true
    }
  }
}

const NOTHING = Object.freeze({})

type With = ContextManager['with']
type Attach = NonNullable<ContextManager['attach']>

/** Puts own methods before those of the class. Returns what takes them away, unless somebody wrapped them again. */
function wrap(
  manager: ContextManager,
  wrappers: { readonly with: (original: With) => With; readonly attach: (original: Attach) => Attach },
): () => void {
  const unwraps = [override(manager, 'with', wrappers.with(manager.with.bind(manager)))]
  if (typeof manager.attach === 'function')
    unwraps.push(override(manager, 'attach', wrappers.attach(manager.attach.bind(manager))))
  return () => {
    for (const unwrap of unwraps) unwrap()
  }
}

function override(owner: object, key: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, key)
  Object.defineProperty(owner, key, { configurable: true, enumerable: false, writable: true, value })
  return () => {
    if (Reflect.get(owner, key) !== value) return
    if (before === undefined) Reflect.deleteProperty(owner, key)
    else Object.defineProperty(owner, key, before)
  }
}

function onDispose<T extends { dispose(): void }>(token: T, after: () => void): T {
  const dispose = token.dispose.bind(token)
  override(token, 'dispose', () => {
    dispose()
    after()
  })
  return token
}

/** Calls `onValue` with the value that the property has, and with every one that it is given. */
function watch(owner: object, key: PropertyKey, onValue: (value: unknown) => void): void {
  let value: unknown = Reflect.get(owner, key)
  // Not where somebody else watches already, or the object is frozen: `refresh` finds managers there.
  const existing = Object.getOwnPropertyDescriptor(owner, key)
  if (existing?.configurable !== false && existing?.get === undefined && Object.isExtensible(owner)) {
    Object.defineProperty(owner, key, {
      configurable: true,
      enumerable: true,
      get: () => value,
      set: (next: unknown) => {
        value = next
        onValue(next)
      },
    })
  }
  if (value !== undefined) onValue(value)
}

/** The property is plain again. */
function unwatch(owner: object, key: PropertyKey): void {
  const existing = Object.getOwnPropertyDescriptor(owner, key)
  if (existing?.get === undefined || !existing.configurable) return
  const value: unknown = Reflect.get(owner, key)
  if (value === undefined) Reflect.deleteProperty(owner, key)
  else Object.defineProperty(owner, key, { configurable: true, enumerable: true, writable: true, value })
}

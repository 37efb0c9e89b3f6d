// Tells the profiler at every moment which span is active. The application's context manager is found by the global object
// that all copies of @opentelemetry/api share, whenever it is registered, and its `with` and `attach` are wrapped.
// - Where AsyncLocalStorage rests on AsyncContextFrame (Node 24; 22 with a switch) that is all: V8 carries the context across
//   await and callbacks by itself, and the profiler reads it from there.
// - Elsewhere (Node 20, 22) hooks around every callback set the context of what is about to run, from the first span on.
// Messages between threads carry no context in Node, so a worker's samples have the spans that were begun in the worker.
import type { AsyncHook, AsyncLocalStorage } from 'node:async_hooks'
import { createHook } from 'node:async_hooks'
import type { LabelChoice, OtelContext } from './span-context.ts'
import { maySay } from './span-context.ts'

const API = Symbol.for('opentelemetry.js.api.1')
/** Callbacks inside callbacks; beyond it something went wrong with the pairs. */
const MAX_DEPTH = 1000

interface ContextManager {
  active(): OtelContext
  with(context: OtelContext, fn: (...args: unknown[]) => unknown, thisArg?: unknown, ...args: unknown[]): unknown
  attach?(context: OtelContext): { dispose(): void }
}

type Api = { context?: ContextManager | undefined } & Record<string, unknown>

/** Where the context of the running code goes. What is in it is looked at only when samples of it are fetched. */
export type ContextSink = SetContext | CarriedContext

interface SetContext {
  readonly kind: 'set'
  /** Every sample from now on keeps this holder. */
  readonly set: (holder: ContextHolder) => void
  /** A number that changes with every sample. */
  readonly samples: () => number
}

interface CarriedContext {
  readonly kind: 'carried'
  readonly storage: AsyncLocalStorage<object>
  readonly hold: (context: object) => object
}

/**
 * What samples keep where contexts are set. Contexts change some 10,000 times a second and samples are taken 100 times, so
 * the context in the holder is replaced, and the holder itself only after a sample has taken it.
 */
export class ContextHolder {
  context: OtelContext | undefined

  constructor(context: OtelContext | undefined) {
    this.context = context
  }
}

const scope = globalThis as unknown as Record<symbol, Api | undefined>

export class SpanTracker {
  readonly #choice: LabelChoice
  readonly #sink: ContextSink
  #manager: ContextManager | undefined
  #unwrap: (() => void) | undefined
  #hook: AsyncHook | undefined
  #current: OtelContext | undefined
  #before: (OtelContext | undefined)[] = []
  /** How many calls of `with` have not returned. */
  #scopes = 0
  #holder = new ContextHolder(undefined)
  /** The number of samples when the holder was set; -1 asks for a new one. */
  #samples = -1
  /** Of the last context that was carried, which is often the next one too. */
  #lastContext: OtelContext | undefined
  #lastHeld: object | undefined
  /** Stands for contexts that say nothing. */
  #nothing: object | undefined
  #isStopped = false

  constructor(choice: LabelChoice, sink: ContextSink) {
    this.#choice = choice
    this.#sink = sink
    this.#watch()
  }

  /** When samples have been fetched. Looks whether another context manager was registered in a way that was not noticed. */
  refresh(): void {
    // The samples are counted anew, so that equal numbers say nothing.
    this.#samples = -1
    if (!this.#isStopped) this.#adopt(scope[API]?.context)
  }

  /** When the profiler is another one, which knows of no context yet. */
  renew(): void {
    this.refresh()
    const current = this.#current
    this.#current = undefined
    this.#set(current)
  }

  /** Must come before the profiler stops: setting a context on one that is stopped throws. */
  stop(): void {
    this.#adopt(undefined)
    this.#isStopped = true
    unwatch(scope, API)
    const api = scope[API]
    if (api !== undefined) unwatch(api, 'context')
    this.#lastContext = this.#lastHeld = this.#nothing = this.#current = this.#holder.context = undefined
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
    this.#hook = undefined
    this.#before = []
    this.#set(undefined)
    this.#manager = undefined
    if (typeof manager?.with !== 'function' || typeof manager.active !== 'function') return
    this.#manager = manager
    this.#unwrap = this.#sink.kind === 'set' ? this.#wrapSetting(manager) : this.#wrapCarrying(manager, this.#sink)
    if (this.#sink.kind !== 'set') return
    // Maybe it has been in use before it was found.
    const active = activeOf(manager)
    if (active !== undefined && this.#isTracking(active, manager)) this.#set(active)
  }

  /** Hooks cost something with every callback, so there are none before the first context that says something. */
  #isTracking(context: OtelContext, manager: ContextManager): boolean {
    if (this.#hook !== undefined) return true
    if (this.#isStopped || manager !== this.#manager || !maySay(context, this.#choice)) return false
    // Behind the manager's own hooks, so that these have run when ours asks.
    this.#hook = createHook({
      before: () => {
        const stack = this.#before
        if (stack.length >= MAX_DEPTH) stack.length = 0
        stack.push(this.#current)
        this.#set(activeOf(manager))
      },
      after: () => {
        const before = this.#before.pop()
        // Only a callback inside another one gives the word back. After an outermost one the next `before` sets what it
        // needs: mostly the same, as a request goes on from await to await.
        if (this.#before.length > 0 || this.#scopes > 0) this.#set(before)
      },
    }).enable()
    return true
  }

  #wrapSetting(manager: ContextManager): () => void {
    return wrap(manager, {
      with:
        original =>
        (context, fn, thisArg, ...args) => {
          if (!this.#isTracking(context, manager)) return original(context, fn, thisArg, ...args)
          const before = this.#current
          this.#scopes++
          this.#set(context)
          try {
            return original(context, fn, thisArg, ...args)
          } finally {
            this.#scopes--
            this.#set(before)
          }
        },
      attach: original => context => {
        const token = original(context)
        if (!this.#isTracking(context, manager)) return token
        this.#set(context)
        return onDispose(token, () => this.#set(activeOf(manager)))
      },
    })
  }

  #wrapCarrying(manager: ContextManager, sink: CarriedContext): () => void {
    const enter = (context: OtelContext | undefined): void => {
      const held = context === undefined ? undefined : this.#held(context, sink)
      if (held !== undefined) sink.storage.enterWith(held)
    }
    return wrap(manager, {
      with:
        original =>
        (context, ...rest) => {
          const held = this.#held(context, sink)
          if (held === undefined) return original(context, ...rest)
          return sink.storage.run(held, () => original(context, ...rest))
        },
      attach: original => context => {
        const token = original(context)
        enter(context)
        return onDispose(token, () => enter(activeOf(manager)))
      },
    })
  }

  /**
   * The native object that stands for the context. It keeps the context alive, so it must not be kept by the context (not
   * even in a WeakMap): neither would ever be freed.
   */
  #held(context: OtelContext, sink: CarriedContext): object | undefined {
    // Who wrapped our `with` still calls it afterwards.
    if (this.#isStopped) return undefined
    if (context === this.#lastContext && this.#lastHeld !== undefined) return this.#lastHeld
    try {
      if (!maySay(context, this.#choice)) {
        // Nothing has to be said where nothing was said before.
        return sink.storage.getStore() === undefined ? undefined : (this.#nothing ??= sink.hold(NOTHING))
      }
      this.#lastHeld = sink.hold(context)
      this.#lastContext = context
      return this.#lastHeld
    } catch {
      return undefined
    }
  }

  #set(context: OtelContext | undefined): void {
    if (context === this.#current || this.#isStopped || this.#sink.kind !== 'set') return
    this.#current = context
    const samples = this.#sink.samples()
    if (samples === this.#samples) {
      this.#holder.context = context
      return
    }
    this.#samples = samples
    this.#holder = new ContextHolder(context)
    try {
      this.#sink.set(this.#holder)
    } catch {
      // Somebody else stopped the profiler; there are no more samples to tell apart.
      this.#isStopped = true
    }
  }
}

/** What a hook throws ends the process, so nothing may be thrown by a manager. */
function activeOf(manager: ContextManager): OtelContext | undefined {
  try {
    return manager.active()
  } catch {
    return undefined
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

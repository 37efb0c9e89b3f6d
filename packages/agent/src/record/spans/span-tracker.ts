// Tells the profiler which span is active. The application's context manager is found through the global object that all copies
// of @opentelemetry/api share, whenever it is registered, and its `with` and `attach` are wrapped.
// - If AsyncLocalStorage is based on AsyncContextFrame (Node 24, or 22 with a flag), that is enough: V8 carries the context
//   across await and callbacks, and the profiler reads it from there.
// - Otherwise (Node 20, 22), hooks around every callback set the context of the next callback, from the first span on.
// Messages between threads carry no context in Node, so a worker's samples have the spans that started in the worker.
import type { AsyncHook, AsyncLocalStorage } from 'node:async_hooks'
import { createHook } from 'node:async_hooks'
import type { LabelChoice, OtelContext } from './span-context.ts'
import { mayHaveLabels } from './span-context.ts'

const API = Symbol.for('opentelemetry.js.api.1')
/** The maximum nesting of callbacks. Beyond it, the pairs of hooks do not match. */
const MAX_DEPTH = 1000

interface ContextManager {
  active(): OtelContext
  with(context: OtelContext, fn: (...args: unknown[]) => unknown, thisArg?: unknown, ...args: unknown[]): unknown
  attach?(context: OtelContext): { dispose(): void }
}

type Api = { context?: ContextManager | undefined } & Record<string, unknown>

/** Receives the context of the running code. The content is read only when its samples are fetched. */
export type ContextSink = SetContext | CarriedContext

interface SetContext {
  readonly kind: 'set'
  /** Every sample from now on has this holder. */
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
 * Stands for a context in samples. Contexts change about 10,000 times a second and samples are taken 100 times, so the context
 * in the holder is replaced, and the holder itself only after a sample has taken it.
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
  /** The number of calls of `with` that have not returned. */
  #scopes = 0
  #holder = new ContextHolder(undefined)
  /** The number of samples when the holder was set. -1 requests a new holder. */
  #samples = -1
  /** The last carried context, which is often the next one too. */
  #lastContext: OtelContext | undefined
  #lastHeld: object | undefined
  /** Stands for contexts without labels. */
  #nothing: object | undefined
  #isStopped = false

  constructor(choice: LabelChoice, sink: ContextSink) {
    this.#choice = choice
    this.#sink = sink
    this.#watch()
  }

  /** Called when samples were fetched. Looks for a context manager that was registered unnoticed. */
  refresh(): void {
    // The count of samples restarts, so equal numbers mean nothing.
    this.#samples = -1
    if (!this.#isStopped) this.#adopt(scope[API]?.context)
  }

  /** Called when the profiler was replaced. The new one has no context yet. */
  renew(): void {
    this.refresh()
    const current = this.#current
    this.#current = undefined
    this.#set(current)
  }

  /** Must be called before the profiler stops: setting a context on a stopped one throws. */
  stop(): void {
    this.#adopt(undefined)
    this.#isStopped = true
    unwatch(scope, API)
    const api = scope[API]
    if (api !== undefined) unwatch(api, 'context')
    this.#lastContext = this.#lastHeld = this.#nothing = this.#current = this.#holder.context = undefined
  }

  /** The API's global object, and the context manager in it, are assigned when the application's SDK starts. */
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
    // It may have been in use before it was found.
    const active = activeOf(manager)
    if (active !== undefined && this.#isTracking(active, manager)) this.#set(active)
  }

  /** Hooks cost time with every callback, so none are added before the first context with labels. */
  #isTracking(context: OtelContext, manager: ContextManager): boolean {
    if (this.#hook !== undefined) return true
    if (this.#isStopped || manager !== this.#manager || !mayHaveLabels(context, this.#choice)) return false
    // After the manager's own hooks, so that these have run before ours.
    this.#hook = createHook({
      before: () => {
        const stack = this.#before
        if (stack.length >= MAX_DEPTH) stack.length = 0
        stack.push(this.#current)
        this.#set(activeOf(manager))
      },
      after: () => {
        const before = this.#before.pop()
        // Only a nested callback restores the context. After an outermost one, the next `before` sets its own: mostly the
        // same, because a request continues from await to await.
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
   * The native object that stands for the context. It keeps the context alive, so the context must not keep it (not even in a
   * WeakMap): otherwise neither would ever be freed.
   */
  #held(context: OtelContext, sink: CarriedContext): object | undefined {
    // Code that wrapped our `with` still calls it after the stop.
    if (this.#isStopped) return undefined
    if (context === this.#lastContext && this.#lastHeld !== undefined) return this.#lastHeld
    try {
      if (!mayHaveLabels(context, this.#choice)) {
        // Nothing to carry if nothing was carried before.
        return sink.storage.getStore() === undefined ? undefined : (this.#nothing ??= sink.hold(NO_LABELS_CONTEXT))
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
      // Another program stopped the profiler. There are no more samples.
      this.#isStopped = true
    }
  }
}

/** An error in a hook ends the process, so errors of the manager are caught. */
function activeOf(manager: ContextManager): OtelContext | undefined {
  try {
    return manager.active()
  } catch {
    return undefined
  }
}

const NO_LABELS_CONTEXT = Object.freeze({})

type With = ContextManager['with']
type Attach = NonNullable<ContextManager['attach']>

/** Overrides methods of the class. Returns a function that removes them, unless other code wrapped them again. */
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

/** Calls `onValue` with the value of the property now and at every change. */
function watch(owner: object, key: PropertyKey, onValue: (value: unknown) => void): void {
  let value: unknown = Reflect.get(owner, key)
  // Skipped if other code watches already, or the object is frozen: `refresh` finds managers there.
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

/** Makes the property a plain one again. */
function unwatch(owner: object, key: PropertyKey): void {
  const existing = Object.getOwnPropertyDescriptor(owner, key)
  if (existing?.get === undefined || !existing.configurable) return
  const value: unknown = Reflect.get(owner, key)
  if (value === undefined) Reflect.deleteProperty(owner, key)
  else Object.defineProperty(owner, key, { configurable: true, enumerable: true, writable: true, value })
}

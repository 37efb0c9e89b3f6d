// Calls between two threads over a message port. Both sides have handlers, and both can call the other side's. A handler returns
// one result, or an iterable of items that the caller reads as a stream.
//
//   caller                      other side
//   call 7 'export' ──────────► handler runs
//                ◄────────── item 7, item 7, …   at most WINDOW items that the caller has not read
//   more 7       ──────────►
//   cancel 7     ──────────► the handler's signal aborts
//                ◄────────── end 7, or failed 7
import type { TransferListItem } from 'node:worker_threads'
import type { ErrorData, ErrorKinds } from './error-data.ts'
import { errorData, errorOf } from './error-data.ts'

/** A function that the other thread calls. `signal` aborts when the caller cancels. */
export type Handler<Argument = never, Result = unknown> = (
  argument: Argument,
  signal: AbortSignal,
) => Promise<Result> | AsyncIterable<Result>

export type Handlers = Readonly<Record<string, Handler>>

/** A result or an item, with buffers that move to the caller instead of being copied. */
export class Transferred<Value> {
  readonly value: Value
  readonly buffers: readonly TransferListItem[]

  constructor(value: Value, buffers: readonly TransferListItem[]) {
    this.value = value
    this.buffers = buffers
  }
}

type Plain<Value> = Value extends Transferred<infer Inner> ? Inner : Value
export type ArgumentOf<Method extends Handler> = Parameters<Method>[0]
export type ResultOf<Method extends Handler> =
  ReturnType<Method> extends AsyncIterable<infer Item> ? Plain<Item> : Plain<Awaited<ReturnType<Method>>>

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Buffers of the argument that move to the other thread. */
  readonly transfer?: readonly TransferListItem[]
  /** Called when the other thread is done with the call. After an abort this is later than the caller's error. */
  readonly onEnd?: (() => void) | undefined
}

export interface Port {
  postMessage(message: unknown, transfer?: readonly TransferListItem[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly argument: unknown }
  | { readonly kind: 'notice'; readonly method: string; readonly argument: unknown }
  | { readonly kind: 'more'; readonly id: number }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'item'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'end'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: ErrorData }

/** A call to the other thread. */
interface Outgoing {
  item(value: unknown): void
  end(value: unknown): void
  fail(error: Error): void
  readonly onEnd: (() => void) | undefined
}

/** A call from the other thread. */
interface Incoming {
  /** Undefined if the handler takes no signal: making one takes longer than a short call. */
  readonly controller: AbortController | undefined
  isCancelled: boolean
  /** Number of items that may still be sent. */
  credit: number
  wake: () => void
}

/** Items of a stream that are sent before the caller has read them. */
const WINDOW = 4

const ignore = (): void => {}

export class Channel<Remote extends Handlers> {
  readonly #port: Port
  readonly #handlers: Handlers
  readonly #kinds: ErrorKinds
  readonly #outgoing = new Map<number, Outgoing>()
  readonly #incoming = new Map<number, Incoming>()
  #calls = 0
  #silentSince: number | undefined

  /** `kinds` are the classes of errors that keep their class and fields. */
  constructor(port: Port, handlers: Handlers, kinds: ErrorKinds = []) {
    this.#port = port
    this.#handlers = handlers
    this.#kinds = kinds
    port.on('message', message => this.#receive(message as Message))
  }

  /** The time of the first message to the other thread that was followed by no message from it, in ms of performance.now(). */
  get silentSince(): number | undefined {
    return this.#silentSince
  }

  /** Rejects with the handler's error, or at once with the signal's reason. */
  call<Method extends keyof Remote & string>(
    method: Method,
    argument: ArgumentOf<Remote[Method]>,
    options: CallOptions = {},
  ): Promise<ResultOf<Remote[Method]>> {
    return new Promise((resolve, reject) => {
      const end = (value: unknown): void => resolve(value as ResultOf<Remote[Method]>)
      this.#open(method, argument, options, { item: ignore, end, fail: reject })
    })
  }

  /** Reads the items of the handler, which pauses while the caller does not read. Leaving the loop cancels the call. */
  async *stream<Method extends keyof Remote & string>(
    method: Method,
    argument: ArgumentOf<Remote[Method]>,
    options: CallOptions = {},
  ): AsyncGenerator<ResultOf<Remote[Method]>, void, undefined> {
    const items: unknown[] = []
    let ended = false
    let failure: Error | undefined
    let wake = ignore
    const close = (error?: Error): void => {
      ended = true
      failure = error
      wake()
    }
    const item = (value: unknown): void => {
      items.push(value)
      wake()
    }
    const id = this.#open(method, argument, options, { item, end: () => close(), fail: close })
    try {
      for (;;) {
        if (items.length > 0) {
          this.#post({ kind: 'more', id })
          yield items.shift() as ResultOf<Remote[Method]>
        } else if (failure !== undefined) throw failure
        else if (ended) return
        else await new Promise<void>(resolve => (wake = resolve))
      }
    } finally {
      if (!ended) this.#cancel(id)
    }
  }

  /** Calls a handler without waiting for it. Calls and notices arrive in the order in which they were sent. */
  notify<Method extends keyof Remote & string>(
    method: Method,
    argument: ArgumentOf<Remote[Method]>,
    transfer: readonly TransferListItem[] = [],
  ): void {
    this.#post({ kind: 'notice', method, argument }, transfer)
  }

  /** Fails all calls in both directions: the other thread has ended. */
  abandon(error: Error): void {
    for (const call of this.#incoming.values()) cancel(call, error)
    this.#incoming.clear()
    for (const [id, call] of this.#outgoing) {
      call.fail(error)
      this.#close(id)
    }
  }

  #open(
    method: string,
    argument: unknown,
    { signal, transfer = [], onEnd }: CallOptions,
    receiver: Omit<Outgoing, 'onEnd'>,
  ): number {
    const id = ++this.#calls
    const abort = (): void => {
      this.#cancel(id)
      receiver.fail(signal!.reason as Error)
    }
    const finish = (): void => {
      signal?.removeEventListener('abort', abort)
      onEnd?.()
    }
    if (signal?.aborted === true) {
      receiver.fail(signal.reason as Error)
      onEnd?.()
      return id
    }
    this.#outgoing.set(id, { ...receiver, onEnd: finish })
    signal?.addEventListener('abort', abort, { once: true })
    try {
      this.#post({ kind: 'call', id, method, argument }, transfer)
    } catch (error) {
      // The argument cannot be cloned, which is a bug of the caller.
      receiver.fail(error as Error)
      this.#close(id)
    }
    return id
  }

  /** Tells the other thread, and ignores whatever it still sends for this call. */
  #cancel(id: number): void {
    const call = this.#outgoing.get(id)
    if (call === undefined) return
    this.#outgoing.set(id, { item: ignore, end: ignore, fail: ignore, onEnd: call.onEnd })
    this.#post({ kind: 'cancel', id })
  }

  #close(id: number): void {
    const call = this.#outgoing.get(id)
    this.#outgoing.delete(id)
    call?.onEnd?.()
  }

  #post(message: Message, transfer: readonly TransferListItem[] = []): void {
    this.#port.postMessage(message, transfer)
    this.#silentSince ??= performance.now()
  }

  #receive(message: Message): void {
    this.#silentSince = undefined
    switch (message.kind) {
      case 'call':
        void this.#serve(message.id, message.method, message.argument)
        return
      case 'notice':
        // The caller does not wait, so nobody would see an error: the promise rejects, which ends the process with a report.
        void this.#handlers[message.method](message.argument as never, NEVER)
        return
      case 'cancel': {
        const call = this.#incoming.get(message.id)
        if (call !== undefined) cancel(call)
        return
      }
      case 'more': {
        const call = this.#incoming.get(message.id)
        if (call === undefined) return
        call.credit++
        call.wake()
        return
      }
      case 'item':
        this.#outgoing.get(message.id)?.item(message.value)
        return
      case 'end':
        this.#outgoing.get(message.id)?.end(message.value)
        this.#close(message.id)
        return
      case 'failed':
        this.#outgoing.get(message.id)?.fail(errorOf(message.error, this.#kinds))
        this.#close(message.id)
    }
  }

  async #serve(id: number, method: string, argument: unknown): Promise<void> {
    const handler = this.#handlers[method]
    const controller = handler.length < 2 ? undefined : new AbortController()
    const call: Incoming = { controller, isCancelled: false, credit: WINDOW, wake: ignore }
    this.#incoming.set(id, call)
    try {
      const result = handler(argument as never, controller?.signal ?? NEVER)
      if (!(Symbol.asyncIterator in result)) return this.#send('end', id, await result)
      for await (const item of result) {
        while (call.credit === 0 && !call.isCancelled) await new Promise<void>(resolve => (call.wake = resolve))
        if (call.isCancelled) throw new Error('the caller has cancelled the call')
        call.credit--
        this.#send('item', id, item)
      }
      this.#send('end', id, undefined)
    } catch (error) {
      this.#post({ kind: 'failed', id, error: errorData(error) })
    } finally {
      this.#incoming.delete(id)
    }
  }

  #send(kind: 'item' | 'end', id: number, result: unknown): void {
    if (result instanceof Transferred) this.#post({ kind, id, value: result.value }, result.buffers)
    else this.#post({ kind, id, value: result })
  }
}

function cancel(call: Incoming, reason?: Error): void {
  call.isCancelled = true
  call.controller?.abort(reason)
  call.wake()
}

const NEVER = new AbortController().signal

// The functions of a thread that receives requests. The main thread calls them.
import { RowGroup } from '../../store/row-group.ts'
import type { RowContext } from '../../store/group-rows.ts'
import type { Payload } from '../../store/keeper.ts'
import { MemoryLedger } from '../../store/symbols/ledger.ts'
import { writePayload } from '../../store/write-payload.ts'
import { Transferred } from '../../workers/channel.ts'
import { collectGarbage } from '../../workers/collect-garbage.ts'
import type { ContentReaders, ReadLimits } from '../content.ts'
import { Redactor } from '../../redact/redactor.ts'
import type { RedactionRule } from '../../redact/rules.ts'
import { Refusal, busy } from '../refusal.ts'
import type { SentBody, WriteRequest } from './content-writer.ts'
import { ContentWriter, LARGE_BYTES } from './content-writer.ts'

/** Examines the payloads of a thread. */
export interface Observer {
  /** Replaces what the observer looks for. Must not throw. */
  watch(state: unknown): void
  /** Returns plain data for the main thread, or undefined. Must not throw. */
  observe(tenant: string, payload: Payload): unknown
}

export interface WriteThreadData extends ReadLimits {
  /** Measuring stops here. */
  readonly maxMemory: number
  /** Whether the caller gets bodies back that are larger than `maxBody`, for another thread. */
  readonly returnsLarge?: boolean
  /** Undefined if nothing is redacted. */
  readonly redaction?: RedactionSettings | undefined
}

/** Plain data, because it is sent to the thread. */
export interface RedactionSettings {
  readonly rules: readonly RedactionRule[]
  /** The secret key of hashes. */
  readonly key: Uint8Array
}

/** A body that the thread keeps under a number of the caller's choice until it is added, dropped or given back. */
export interface NumberedBody extends SentBody {
  readonly number: number
}

/** An inspected content that the thread keeps. */
export interface HeldContent {
  readonly id: Uint8Array
  /** The size after decompression. */
  readonly bytes: number
  /** The memory that the content takes until it is committed, in bytes. */
  readonly memory: number
}

/** A request for a content that the thread keeps. */
export interface HeldRequest extends Omit<WriteRequest, 'content' | 'body'> {
  readonly number: number
}

export type WriteHandlers = ReturnType<typeof writeHandlers>

export function writeHandlers(data: WriteThreadData, readers: ContentReaders, observer: Observer) {
  const ledger = new MemoryLedger()
  const rows = new RowGroup(
    (group, context, request) => writePayload(group, context, request, ledger),
    () => ledger.forgetAll(),
  )
  const { redaction } = data
  const writer = new ContentWriter({
    ...data,
    readers,
    redactor: redaction === undefined ? undefined : new Redactor(redaction.rules, redaction.key),
    addRows: (context, request) => rows.add(context, request),
    observe: (tenant, payload) => observer.observe(tenant, payload),
  })
  // One after another, so that only one body is decompressed whose memory is not admitted yet.
  let inspecting: Promise<unknown> = Promise.resolve()
  const held = new Map<number, Pick<WriteRequest, 'content' | 'body'>>()
  const requestOf = ({ number, ...request }: HeldRequest): WriteRequest => {
    const kept = held.get(number)
    if (kept === undefined) throw busy('rows-lost', 'the thread that had the request has ended; retry in 1 s', 1)
    return { ...request, ...kept }
  }
  return {
    /** Keeps the content. Returns the body to the caller if it is too large for this thread. */
    inspect: async ({ number, ...sent }: NumberedBody): Promise<HeldContent | Transferred<Uint8Array<ArrayBuffer>>> => {
      const turn = inspecting.then(() => writer.inspect(sent))
      inspecting = turn.catch(() => {})
      try {
        const { body, id, memory } = await turn
        held.set(number, { content: sent.content, body })
        return { id, memory, bytes: body.length }
      } catch (error) {
        if (!isTooLarge(error) || !data.returnsLarge) throw error
        return givenBack(sent.body)
      }
    },
    drop: async (number: number) => void held.delete(number),
    /** The decompressed body. */
    giveBack: async (number: number) => {
      const body = held.get(number)?.body
      held.delete(number)
      if (body === undefined) throw busy('rows-lost', 'the thread that had the request has ended; retry in 1 s', 1)
      return givenBack(body)
    },
    // No handler below waits before it takes effect, so that they take effect in the order of their calls.
    add: async ({ request: given, context }: { readonly request: HeldRequest; readonly context: RowContext }) => {
      const request = requestOf(given)
      try {
        const written = writer.add(request, context)
        held.delete(given.number)
        return written
      } finally {
        // The columns of the content, and the memory that its rows outgrew.
        if (request.body.length >= LARGE_BYTES) setImmediate(collectGarbage)
      }
    },
    check: async (request: HeldRequest) => {
      const written = writer.check(requestOf(request))
      held.delete(request.number)
      return written
    },
    take: async (_: undefined) => {
      const taken = await rows.take()
      const bytes = taken.files.reduce((sum, { content }) => sum + content.length, 0)
      // After the files have moved to the main thread.
      if (bytes >= LARGE_BYTES) setImmediate(collectGarbage)
      return new Transferred(
        taken,
        taken.files.map(({ content }) => content.buffer),
      )
    },
    discard: async (_: undefined) => rows.discard(),
    forget: async (_: undefined) => rows.forget(),
    watch: async (state: unknown) => observer.watch(state),
  }
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof Refusal && error.http === 413
}

function givenBack(bytes: Uint8Array): Transferred<Uint8Array<ArrayBuffer>> {
  const body = ownBytes(bytes)
  return new Transferred(body, [body.buffer])
}

/** The bytes in a buffer of their own, which can move to another thread. Copies only if they share a buffer. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  return buffer instanceof ArrayBuffer && length === buffer.byteLength
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(bytes)
}

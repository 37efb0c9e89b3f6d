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
  /** Undefined if nothing is redacted. */
  readonly redaction?: RedactionSettings | undefined
}

/** Plain data, because it is sent to the thread. */
export interface RedactionSettings {
  readonly rules: readonly RedactionRule[]
  /** The secret key of hashes. */
  readonly key: Uint8Array
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
  return {
    inspect: async (sent: SentBody) => {
      const turn = inspecting.then(() => writer.inspect(sent))
      inspecting = turn.catch(() => {})
      const inspected = await turn
      const body = ownBytes(inspected.body)
      return new Transferred({ ...inspected, body }, [body.buffer])
    },
    // No handler below waits before it takes effect, so that they take effect in the order of their calls.
    add: async ({ request, context }: { readonly request: WriteRequest; readonly context: RowContext }) => {
      try {
        return writer.add(request, context)
      } finally {
        // The columns of the content, and the memory that its rows outgrew.
        if (request.body.length >= LARGE_BYTES) setImmediate(collectGarbage)
      }
    },
    check: async (request: WriteRequest) => writer.check(request),
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

/** The bytes in a buffer of their own, which can move to another thread. Copies only if they share a buffer. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  return buffer instanceof ArrayBuffer && length === buffer.byteLength
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(bytes)
}

// The thread's side of receiving: decompresses a body, identifies and measures its content, reads it, rejects invalid items,
// redacts values, and writes the rest as rows of the open group.
import { KnownSymbols } from '@hearth/profile'
import type { AddedRows } from '../../store/commit/group-commit.ts'
import type { RowContext } from '../../store/group-rows.ts'
import type { Payload, ReceivedRequest, Signal } from '../../store/keeper.ts'
import { collectGarbage } from '../../workers/collect-garbage.ts'
import { takesTooMuch } from '../admission.ts'
import type { Content, ContentReader, ContentReaders, ReadContext, ReadLimits } from '../content.ts'
import { checkPayload } from '../decode-payload.ts'
import { decoded } from '../http/content-encoding.ts'
import { Code, Refusal } from '../refusal.ts'
import { Rejects } from '../rejects.ts'
import { redactPayload } from '../../redact/redact-payload.ts'
import type { Redactor } from '../../redact/redactor.ts'

/** A body as it was sent. */
export interface SentBody {
  readonly content: Content
  readonly body: Uint8Array
  /** The Content-Encoding; empty if the body is not compressed. */
  readonly contentEncoding: string
}

export interface Inspected {
  /** Decompressed. The body as it was sent if it is not compressed. */
  readonly body: Uint8Array
  readonly id: Uint8Array
  /** The memory that the content takes until it is committed, in bytes. */
  readonly memory: number
}

export interface WriteRequest {
  readonly content: Content
  /** Decompressed. */
  readonly body: Uint8Array
  /** The sender's User-Agent. */
  readonly client: string
  /** The size of the content for statistics. */
  readonly bytes: number
  readonly id: Uint8Array
  readonly tenant: string
}

/** The result of reading a content. Plain data, because it is sent to another thread. */
export interface Written extends AddedRows {
  /** Undefined if the content is empty. */
  readonly signal: Signal | undefined
  readonly generation: string
  /** The number of samples in profiles. */
  readonly samples: number
  readonly rejected: number
  /** The number of rejected items by reason. */
  readonly reasons: ReadonlyMap<string, number>
  /** The number of fields that OTLP does not define. */
  readonly keptFields: number
  readonly droppedFields: number
  /** The number of redactions by rule. */
  readonly redacted: ReadonlyMap<string, number>
  /** The reasons and warnings; empty if there are none. */
  readonly message: string
  readonly response?: unknown
  /** The result of the observer. */
  readonly observed?: unknown
}

export interface ContentWriterOptions extends ReadLimits {
  readonly readers: ContentReaders
  /** Removes or hashes values before anything is written. */
  readonly redactor?: Redactor | undefined
  /** Measuring stops here. */
  readonly maxMemory: number
  /** Writes rows and returns their size. */
  readonly addRows: (context: RowContext, request: ReceivedRequest) => number
  /** Examines a payload whose rows were written. Returns plain data, or undefined. Must not throw. */
  readonly observe?: (tenant: string, payload: Payload) => unknown
}

/** The garbage of larger contents is collected at once. */
export const LARGE_BYTES = 8 * 2 ** 20

const NONE: ReadonlyMap<string, number> = new Map()

const NOTHING: Written = {
  signal: undefined,
  generation: '',
  samples: 0,
  rejected: 0,
  reasons: new Map(),
  keptFields: 0,
  droppedFields: 0,
  redacted: NONE,
  message: '',
  rowBytes: 0,
}

export class ContentWriter {
  readonly #options: ContentWriterOptions
  readonly #context: ReadContext

  constructor(options: ContentWriterOptions) {
    this.#options = options
    const { maxBody, maxAttributes } = options
    const symbols = new KnownSymbols({ equal: (a, b) => Buffer.compare(a, b) === 0 })
    this.#context = { maxBody, maxAttributes, symbols }
  }

  /** Throws Refusal. */
  async inspect({ content, body: sent, contentEncoding }: SentBody): Promise<Inspected> {
    const { maxBody, maxMemory } = this.#options
    const reader = this.#reader(content)
    const body = await decoded(sent, contentEncoding, maxBody)
    const memory = reader.measure(body, content.options, maxMemory)
    // Here, so that the body does not move back to the main thread.
    if (body.length + memory > maxMemory) throw takesTooMuch(maxMemory)
    return { body, id: reader.id(body, content.options), memory }
  }

  /** Adds the rows of the accepted items to the open group, without waiting for anything. Throws Refusal. */
  add(request: WriteRequest, context: RowContext): Written {
    return this.#read(request, (received, read) => {
      const { tenant, client, bytes, id } = request
      const { generation, rejected } = read
      const redaction = this.#options.redactor?.for(tenant, received.signal)
      const payload = redaction === undefined ? received : redactPayload(received, redaction)
      const rowBytes = this.#options.addRows(context, { tenant, client, id, bytes, generation, rejected, payload })
      const redacted = redaction?.counts ?? NONE
      return { ...read, rowBytes, redacted, observed: this.#options.observe?.(tenant, payload) }
    })
  }

  /** The result that `add` returned for an equal request. Writes no rows. */
  check(request: WriteRequest): Written {
    return this.#read(request, (_payload, read) => read)
  }

  #read({ content, body }: WriteRequest, finish: (payload: Payload, read: Written) => Written): Written {
    const rejects = new Rejects()
    // Everything of the previous request is in rows, or was refused.
    this.#context.symbols.memory.release()
    const read = this.#reader(content).read(body, content.options, this.#context, rejects)
    if (read === undefined) return NOTHING
    // The memory of reading is free before that of the rows is needed.
    if (body.length >= LARGE_BYTES) collectGarbage()
    const { generation, isAtomic, response } = read
    const payload = checkPayload(read.payload, this.#options, rejects)
    if (isAtomic && rejects.count > 0) throw new Refusal(400, Code.invalidArgument, 'attributes', rejects.message())
    return finish(payload, {
      signal: payload.signal,
      generation,
      samples: payload.signal === 'profiles' ? payload.profiles.samples.length : 0,
      rejected: rejects.count,
      reasons: rejects.reasons,
      keptFields: rejects.keptFields,
      droppedFields: rejects.droppedFields,
      redacted: NONE,
      message: rejects.message(),
      rowBytes: 0,
      ...(response === undefined ? {} : { response }),
    })
  }

  #reader({ reader }: Content): ContentReader {
    return this.#options.readers[reader]
  }
}

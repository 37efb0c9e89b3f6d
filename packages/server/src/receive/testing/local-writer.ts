// A writer without threads, for tests that replace the store: it hands decoded requests to a keeper.
import type { Keeper, Payload, ReceivedRequest } from '../../store/keeper.ts'
import type { Admission } from '../admission.ts'
import { columnsReader } from '../columns-content.ts'
import type { ContentReaders } from '../content.ts'
import { ContentWriter } from '../threads/content-writer.ts'
import { pushReader } from '../http/push.ts'
import { otlpReader } from '../otlp-content.ts'
import type { Writer, WriterRequest, WriterResult } from '../threads/writer.ts'

export interface LocalWriterOptions {
  readonly keeper: Keeper
  readonly admission: Admission
  readonly maxAttributes: number
  readonly maxBody?: number
  /** Readers besides those of OTLP and of pushed files. */
  readonly readers?: ContentReaders
  readonly observe?: (tenant: string, payload: Payload) => unknown
}

export class LocalWriter implements Writer {
  readonly #options: LocalWriterOptions
  readonly #writer: ContentWriter
  #added: ReceivedRequest | undefined
  /** The compression of the last request, which the caller left to this writer. */
  lastEncoding = ''

  constructor(options: LocalWriterOptions) {
    this.#options = options
    const { admission, maxAttributes, maxBody = 2 ** 30, readers = {}, observe } = options
    this.#writer = new ContentWriter({
      readers: { ...otlpReader, ...columnsReader, ...pushReader, ...readers },
      maxBody,
      maxAttributes,
      maxMemory: admission.limit,
      addRows: (_context, request) => {
        this.#added = request
        return 0
      },
      ...(observe === undefined ? {} : { observe }),
    })
  }

  async write(request: WriterRequest): Promise<WriterResult> {
    const { keeper, admission } = this.#options
    this.lastEncoding = request.contentEncoding
    const inspected = await this.#writer.inspect(request)
    const { body, memory } = inspected
    const admitted = admission.admitDecoding(body.length + memory)
    try {
      const { id = inspected.id, bytes = body.length, tenant } = request
      this.#added = undefined
      const context = { tenant, request: id, received: 0n, day: 0 }
      const written = this.#writer.add({ ...request, body, id, bytes }, context)
      const isDuplicate = this.#added !== undefined && (await keeper.keep(this.#added)) === 'duplicate'
      return { ...written, bytes, isDuplicate }
    } finally {
      admitted.release()
    }
  }
}

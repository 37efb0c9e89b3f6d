// parca.debuginfo.v1alpha1.DebuginfoService on the gRPC port, so that Parca's agents can upload debug files.
//
//   ShouldInitiateUpload ─► InitiateUpload ─► Upload (stream of chunks) ─► MarkUploadFinished
import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type { Metadata, ServerReadableStream, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import { FormatError } from '@hearth/profile'
import type { Message } from '@hearth/signals'
import { codecOf, protoFiles, typesIn } from '@hearth/signals'
import type { Gatekeeper, Identity } from '../../access/gatekeeper.ts'
import { AccessError } from '../../access/gatekeeper.ts'
import type { GrpcService } from '../../receive/grpc/raw-method.ts'
import { NOTHING, firstValue, rawMethod } from '../../receive/grpc/raw-method.ts'
import { DebugFileError } from '../debug-file-error.ts'
import type { DebugFileFault } from '../debug-file-error.ts'
import type { SymbolStore } from '../symbol-store.ts'
import * as messages from './debuginfo-messages.ts'

export interface DebuginfoServiceOptions {
  readonly symbols: SymbolStore
  readonly gatekeeper: Gatekeeper
  readonly onError: (error: unknown) => void
}

/** An upload that a client announced. */
interface Announced {
  readonly tenant: string
  readonly buildId: string
  finished: boolean
}

/** Announced uploads of all clients. Each is some hundred bytes; agents announce one at a time. */
const MAX_ANNOUNCED = 10_000

const Types = messages.DEBUGINFO_TYPE.values

const METHODS = [
  {
    name: 'ShouldInitiateUpload',
    request: messages.SHOULD_INITIATE_UPLOAD_REQUEST,
    response: messages.SHOULD_INITIATE_UPLOAD_RESPONSE,
  },
  { name: 'InitiateUpload', request: messages.INITIATE_UPLOAD_REQUEST, response: messages.INITIATE_UPLOAD_RESPONSE },
  {
    name: 'MarkUploadFinished',
    request: messages.MARK_UPLOAD_FINISHED_REQUEST,
    response: messages.MARK_UPLOAD_FINISHED_RESPONSE,
  },
  { name: 'Upload', request: messages.UPLOAD_REQUEST, response: messages.UPLOAD_RESPONSE, clientStreaming: true },
]

const FILES = protoFiles([
  {
    name: 'parca/debuginfo/v1alpha1/debuginfo.proto',
    types: typesIn(messages),
    service: { name: messages.DEBUGINFO_SERVICE, methods: METHODS },
  },
])

export function debuginfoService(options: DebuginfoServiceOptions): GrpcService {
  const service = new DebuginfoService(options)
  const path = (name: string): string => `/${messages.DEBUGINFO_SERVICE}/${name}`
  return {
    name: messages.DEBUGINFO_SERVICE,
    definition: {
      ShouldInitiateUpload: rawMethod(path('ShouldInitiateUpload')),
      InitiateUpload: rawMethod(path('InitiateUpload')),
      MarkUploadFinished: rawMethod(path('MarkUploadFinished')),
      Upload: rawMethod(path('Upload'), { requestStream: true }),
    },
    implementation: {
      ShouldInitiateUpload: service.unary(
        messages.SHOULD_INITIATE_UPLOAD_REQUEST,
        messages.SHOULD_INITIATE_UPLOAD_RESPONSE,
        (tenant, { buildId, force, type }) => service.shouldUpload(tenant, buildId, force, type),
      ),
      InitiateUpload: service.unary(
        messages.INITIATE_UPLOAD_REQUEST,
        messages.INITIATE_UPLOAD_RESPONSE,
        (tenant, { buildId, force, type }) => service.initiate(tenant, buildId, force, type),
      ),
      MarkUploadFinished: service.unary(
        messages.MARK_UPLOAD_FINISHED_REQUEST,
        messages.MARK_UPLOAD_FINISHED_RESPONSE,
        (tenant, { uploadId }) => service.finish(tenant, uploadId),
      ),
      Upload: (call: ServerReadableStream<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>) =>
        void service.upload(call, callback),
    },
    files: FILES,
  }
}

class DebuginfoService {
  readonly #options: DebuginfoServiceOptions
  readonly #announced = new Map<string, Announced>()
  readonly #requests = codecOf(messages.UPLOAD_REQUEST, messages.UPLOAD_REQUEST.name)
  readonly #responses = codecOf(messages.UPLOAD_RESPONSE, messages.UPLOAD_RESPONSE.name)

  constructor(options: DebuginfoServiceOptions) {
    this.#options = options
  }

  unary<Request, Response>(
    request: Message<Request>,
    response: Message<Response>,
    handle: (tenant: string, request: Request) => Response,
  ) {
    const requests = codecOf(request, request.name)
    const responses = codecOf(response, response.name)
    return (call: ServerUnaryCall<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>): void => {
      try {
        const { tenant } = this.#identify(call.metadata)
        callback(NOTHING, responses.encode(handle(tenant, requests.decode(call.request))))
      } catch (error) {
        callback(this.#statusOf(error))
      }
    }
  }

  shouldUpload(tenant: string, buildId: string, force: boolean, type: number) {
    checkBuildId(buildId)
    const { symbols } = this.#options
    if (type === Types.DEBUGINFO_TYPE_SOURCES) {
      return symbols.hasSourcesOf(tenant, buildId) && !force
        ? { shouldInitiateUpload: false, reason: 'the source code is known' }
        : { shouldInitiateUpload: true, reason: 'the source code is not known' }
    }
    const known = symbols.best(tenant, [buildId])
    if (force || known === undefined) return { shouldInitiateUpload: true, reason: 'the debug file is not known' }
    // An executable adds nothing to a debug file that has lines.
    const isComplete = known.quality === 'lines' || type === Types.DEBUGINFO_TYPE_EXECUTABLE
    return isComplete
      ? { shouldInitiateUpload: false, reason: 'the debug file is known' }
      : { shouldInitiateUpload: true, reason: 'the known file has no lines' }
  }

  initiate(tenant: string, buildId: string, force: boolean, type: number) {
    const { shouldInitiateUpload, reason } = this.shouldUpload(tenant, buildId, force, type)
    if (!shouldInitiateUpload) throw new CallError(status.ALREADY_EXISTS, reason)
    const uploadId = randomUUID()
    this.#announced.set(uploadId, { tenant, buildId, finished: false })
    if (this.#announced.size > MAX_ANNOUNCED) this.#announced.delete(this.#announced.keys().next().value!)
    const { UPLOAD_STRATEGY_GRPC: uploadStrategy } = messages.UPLOAD_STRATEGY.values
    return { uploadInstructions: { buildId, uploadId, uploadStrategy, signedUrl: '', type } }
  }

  finish(tenant: string, uploadId: string) {
    const announced = this.#announced.get(uploadId)
    if (announced?.tenant !== tenant) throw new CallError(status.NOT_FOUND, `no upload has the id ${uploadId}`)
    if (!announced.finished) throw new CallError(status.FAILED_PRECONDITION, 'the upload is not complete')
    this.#announced.delete(uploadId)
    return {}
  }

  async upload(call: ServerReadableStream<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>): Promise<void> {
    const content = new PassThrough()
    // Errors of the content reach the store, which reads it.
    content.on('error', () => {})
    call.on('cancelled', () => content.destroy(new CallError(status.CANCELLED, 'the call was cancelled')))
    try {
      const { tenant } = this.#identify(call.metadata)
      const pieces = call[Symbol.asyncIterator]() as AsyncIterator<Buffer>
      const first = await pieces.next()
      const info = first.done === true ? undefined : this.#requests.decode(first.value).info
      const announced = info && this.#announced.get(info.uploadId)
      if (info === undefined || announced?.tenant !== tenant || announced.buildId !== info.buildId)
        throw new CallError(status.FAILED_PRECONDITION, 'the first message must name an upload of InitiateUpload')
      const storing = this.#options.symbols.add(tenant, content, {
        name: info.type === Types.DEBUGINFO_TYPE_SOURCES ? `${info.buildId} (source code)` : info.buildId,
        source: 'parca',
        buildIds: [info.buildId],
        // An executable without names still has code, which the Instructions view shows.
        acceptsCode: info.type === Types.DEBUGINFO_TYPE_EXECUTABLE,
      })
      // Reported below.
      storing.catch(() => {})
      await this.#pour(pieces, content)
      const about = await storing
      announced.finished = true
      callback(NOTHING, this.#responses.encode({ buildId: info.buildId, size: BigInt(about.fileBytes) }))
    } catch (error) {
      content.destroy(error as Error)
      callback(this.#statusOf(error))
    }
  }

  /** Returns early if the store has rejected the content. */
  async #pour(pieces: AsyncIterator<Buffer>, content: PassThrough): Promise<void> {
    for (;;) {
      const next: IteratorResult<Buffer, unknown> = await pieces.next()
      if (content.destroyed) return
      if (next.done === true) break
      const { chunkData } = this.#requests.decode(next.value)
      if (chunkData === undefined) throw new CallError(status.INVALID_ARGUMENT, 'only the first message has no chunk')
      if (!content.write(chunkData)) {
        await new Promise<void>(resolve => content.once('drain', resolve).once('close', resolve))
      }
    }
    content.end()
  }

  #identify(metadata: Metadata): Identity {
    const credentials = {
      authorization: firstValue(metadata, 'authorization'),
      scopeOrgId: firstValue(metadata, 'x-scope-orgid'),
    }
    return this.#options.gatekeeper.identify(credentials, 'write')
  }

  #statusOf(error: unknown): { readonly code: status; readonly details: string } {
    if (error instanceof CallError) return { code: error.code, details: error.message }
    if (error instanceof DebugFileError) return { code: DEBUG_FILE_STATUS[error.code], details: error.message }
    if (error instanceof FormatError) return { code: status.INVALID_ARGUMENT, details: error.message }
    if (error instanceof AccessError) {
      const codes = { 400: status.INVALID_ARGUMENT, 401: status.UNAUTHENTICATED, 403: status.PERMISSION_DENIED }
      return { code: codes[error.status], details: error.message }
    }
    this.#options.onError(error)
    return { code: status.INTERNAL, details: 'internal error; see the server log' }
  }
}

class CallError extends Error {
  readonly code: status

  constructor(code: status, message: string) {
    super(message)
    this.code = code
  }
}

const DEBUG_FILE_STATUS: Readonly<Record<DebugFileFault, status>> = {
  broken: status.INVALID_ARGUMENT,
  'too-slow': status.INVALID_ARGUMENT,
  'too-large': status.RESOURCE_EXHAUSTED,
  quota: status.RESOURCE_EXHAUSTED,
  closed: status.UNAVAILABLE,
}

function checkBuildId(buildId: string): void {
  if (buildId === '' || buildId.length > 256)
    throw new CallError(status.INVALID_ARGUMENT, 'build_id must have 1 to 256 characters')
}

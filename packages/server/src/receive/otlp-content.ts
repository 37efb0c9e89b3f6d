// OTLP of any signal as the content of a request.
import { encodeOtlp } from '@hearth/profile'
import { logs, metrics, traces } from '@hearth/signals'
import type { Payload, Signal } from '../store/keeper.ts'
import type { Content, ContentReader } from './content.ts'
import { decodePayload } from './decode-payload.ts'
import { measurePayload } from './measure-payload.ts'
import { requestId } from './request-id.ts'

interface OtlpOptions {
  readonly signal: Signal
  readonly encoding: 'protobuf' | 'json'
  /** For profiles that were in another format: its name. They are rejected as a whole if a part is invalid. */
  readonly format?: string
}

const READER = 'otlp'

export function otlpContent(options: OtlpOptions): Content {
  return { reader: READER, options }
}

export const otlpReader: Readonly<Record<typeof READER, ContentReader<OtlpOptions>>> = {
  [READER]: {
    id: (body, { signal }) => requestId(signal, body),
    measure: (body, options, limit) => measurePayload({ ...options, body }, limit),
    read: (body, { format, ...options }, { symbols }, rejects) => {
      const { payload, generation } = decodePayload({ ...options, body, symbols }, rejects)
      return { payload, generation: format ?? generation, isAtomic: format !== undefined }
    },
  },
}

/** A payload of this thread as bytes for another one. */
export function encodePayload(payload: Payload): Uint8Array {
  switch (payload.signal) {
    case 'profiles':
      return encodeOtlp(payload.profiles)
    case 'traces':
      return traces.encode(payload.traces)
    case 'logs':
      return logs.encode(payload.logs)
    case 'metrics':
      return metrics.encode(payload.metrics)
  }
}

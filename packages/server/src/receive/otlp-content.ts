// OTLP of any signal as the content of a request.
import { logs, metrics, traces } from '@hearth/signals'
import type { Payload, Signal } from '../store/keeper.ts'
import type { Content, ContentReader } from './content.ts'
import { decodePayload } from './decode-payload.ts'
import { measurePayload } from './measure-payload.ts'
import { requestId } from './request-id.ts'

interface OtlpOptions {
  readonly signal: Signal
  readonly encoding: 'protobuf' | 'json'
}

const READER = 'otlp'

export function otlpContent(options: OtlpOptions): Content {
  return { reader: READER, options }
}

export const otlpReader: Readonly<Record<typeof READER, ContentReader<OtlpOptions>>> = {
  [READER]: {
    id: (body, { signal }) => requestId(signal, body),
    measure: (body, options, limit) => measurePayload({ ...options, body }, limit),
    read: (body, options, { symbols }, rejects) => ({
      ...decodePayload({ ...options, body, symbols }, rejects),
      isAtomic: false,
    }),
  },
}

/** Messages of this thread as bytes for another one. */
export function encodePayload(payload: Exclude<Payload, { readonly signal: 'profiles' }>): Uint8Array {
  switch (payload.signal) {
    case 'traces':
      return traces.encode(payload.traces)
    case 'logs':
      return logs.encode(payload.logs)
    case 'metrics':
      return metrics.encode(payload.metrics)
  }
}

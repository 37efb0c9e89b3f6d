// The responses of OTLP: rejected items and warnings with their reasons, or the google.rpc.Status of a refusal.
import { logsResponse, metricsResponse, profilesResponse, rpcStatus, statusOf, tracesResponse } from '@hearth/signals'
import type { Outcome } from './receiver.ts'
import type { Refusal } from './refusal.ts'

export function responseBody({ signal, rejected, message }: Outcome, encoding: 'protobuf' | 'json'): Uint8Array {
  const json = encoding === 'json'
  const count = BigInt(rejected)
  switch (signal) {
    case 'profiles': {
      const partialSuccess = message === '' ? undefined : { rejectedProfiles: count, errorMessage: message }
      return json ? profilesResponse.encodeJson({ partialSuccess }) : profilesResponse.encode({ partialSuccess })
    }
    case 'traces': {
      const partialSuccess = message === '' ? undefined : { rejectedSpans: count, errorMessage: message }
      return json ? tracesResponse.encodeJson({ partialSuccess }) : tracesResponse.encode({ partialSuccess })
    }
    case 'logs': {
      const partialSuccess = message === '' ? undefined : { rejectedLogRecords: count, errorMessage: message }
      return json ? logsResponse.encodeJson({ partialSuccess }) : logsResponse.encode({ partialSuccess })
    }
    case 'metrics': {
      const partialSuccess = message === '' ? undefined : { rejectedDataPoints: count, errorMessage: message }
      return json ? metricsResponse.encodeJson({ partialSuccess }) : metricsResponse.encode({ partialSuccess })
    }
  }
}

export function statusBody({ code, message, retryAfterSeconds }: Refusal, encoding: 'protobuf' | 'json'): Uint8Array {
  const status = statusOf(code, message, retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000)
  return encoding === 'json' ? rpcStatus.encodeJson(status) : rpcStatus.encode(status)
}

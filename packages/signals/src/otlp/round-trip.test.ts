// A message stays the same when it goes through protobuf or JSON.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codecOf } from '../protobuf/codec.ts'
import {
  logs,
  logsResponse,
  metrics,
  metricsResponse,
  plainProfiles,
  profilesResponse,
  rpcStatus,
  traces,
  tracesResponse,
} from './codecs.ts'
import { EXPORT_SERVICES } from './export-services.ts'
import type { Codec } from '../protobuf/codec.ts'
import { KEY_VALUE } from './common.ts'
import { OPEN_KEY_VALUE } from './attributes.ts'
import type { Message } from '../protobuf/field.ts'
import { RPC_STATUS } from './rpc-status.ts'
import { arbitraryMessage } from '../testing/arbitrary-message.ts'

function goesRound<T>(codec: Codec<T>, message: Message<T>): void {
  fc.assert(
    fc.property(arbitraryMessage(message), content => {
      expect(codec.decode(codec.encode(content))).toEqual(content)
      expect(codec.decodeJson(codec.encodeJson(content))).toEqual(content)
    }),
    { numRuns: 60 },
  )
}

describe('a random message is equal after protobuf and after JSON', () => {
  test('traces', () => goesRound(traces, EXPORT_SERVICES.traces.request))
  test('logs', () => goesRound(logs, EXPORT_SERVICES.logs.request))
  test('metrics', () => goesRound(metrics, EXPORT_SERVICES.metrics.request))
  test('profiles', () => goesRound(plainProfiles, EXPORT_SERVICES.profiles.request))
  test('traces response', () => goesRound(tracesResponse, EXPORT_SERVICES.traces.response))
  test('logs response', () => goesRound(logsResponse, EXPORT_SERVICES.logs.response))
  test('metrics response', () => goesRound(metricsResponse, EXPORT_SERVICES.metrics.response))
  test('profiles response', () => goesRound(profilesResponse, EXPORT_SERVICES.profiles.response))
  test('status', () => goesRound(rpcStatus, RPC_STATUS))
})

test('plain attributes and open attributes have the same bytes and the same JSON', () => {
  const plain = codecOf(KEY_VALUE, 'plain')
  const open = codecOf(OPEN_KEY_VALUE, 'open')
  fc.assert(
    fc.property(arbitraryMessage(KEY_VALUE), attribute => {
      const bytes = plain.encode(attribute)
      const json = plain.encodeJson(attribute)
      expect(open.encode(open.decode(bytes))).toEqual(bytes)
      expect(open.encode(open.decodeJson(json))).toEqual(bytes)
      expect(plain.decode(bytes)).toEqual(attribute)
    }),
  )
})

test('a message that was sent in two pieces is merged', () => {
  fc.assert(
    fc.property(
      arbitraryMessage(EXPORT_SERVICES.metrics.request),
      arbitraryMessage(EXPORT_SERVICES.metrics.request),
      (first, second) => {
        const both = metrics.decode(Buffer.concat([metrics.encode(first), metrics.encode(second)]))
        expect(both).toEqual({ resourceMetrics: [...first.resourceMetrics, ...second.resourceMetrics] })
      },
    ),
    { numRuns: 20 },
  )
})

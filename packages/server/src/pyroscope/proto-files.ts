// The .proto files of Pyroscope's API, out of the same descriptions that the codecs are made of: for gRPC reflection, and
// as texts in proto/.
import type { Enumeration, Message, ProtoFile, ProtoSource } from '@hearth/signals'
import { protoFiles } from '@hearth/signals'
import * as google from './messages/google-profile.ts'
import * as push from './messages/push-messages.ts'
import * as querier from './messages/querier-messages.ts'
import { QUERIER_METHODS } from './querier/querier-service.ts'
import * as types from './messages/types-messages.ts'

function typesOf(module: Readonly<Record<string, unknown>>): (Message | Enumeration)[] {
  return Object.values(module).filter(
    (value): value is Message | Enumeration => typeof value === 'object' && value !== null && 'name' in value,
  )
}

export const PYROSCOPE_PROTO_SOURCES: readonly ProtoSource[] = [
  { name: 'google/v1/profile.proto', types: typesOf(google) },
  { name: 'types/v1/types.proto', types: typesOf(types) },
  {
    name: 'push/v1/push.proto',
    types: typesOf(push),
    service: {
      name: push.PUSHER_SERVICE,
      request: push.PUSH_REQUEST as Message,
      response: push.PUSH_RESPONSE as Message,
      methods: [{ name: 'Push' }],
    },
  },
  {
    name: 'querier/v1/querier.proto',
    types: typesOf(querier),
    service: {
      name: 'querier.v1.QuerierService',
      request: QUERIER_METHODS[0].request as Message,
      response: QUERIER_METHODS[0].response as Message,
      methods: QUERIER_METHODS,
    },
  },
]

export const PYROSCOPE_PROTO_FILES: readonly ProtoFile[] = protoFiles(PYROSCOPE_PROTO_SOURCES)

// The .proto files of Pyroscope's API, generated from the same descriptions as the codecs. gRPC reflection uses them,
// and proto/ contains their text.
import type { ProtoFile, ProtoSource } from '@hearth/signals'
import { protoFiles, typesIn } from '@hearth/signals'
import * as google from './messages/google-profile.ts'
import * as push from './messages/push-messages.ts'
import * as querier from './messages/querier-messages.ts'
import { QUERIER_METHODS } from './querier/querier-methods.ts'
import * as types from './messages/types-messages.ts'

export const PYROSCOPE_PROTO_SOURCES: readonly ProtoSource[] = [
  { name: 'google/v1/profile.proto', types: typesIn(google) },
  { name: 'types/v1/types.proto', types: typesIn(types) },
  {
    name: 'push/v1/push.proto',
    types: typesIn(push),
    service: {
      name: push.PUSHER_SERVICE,
      methods: [{ name: 'Push', request: push.PUSH_REQUEST, response: push.PUSH_RESPONSE }],
    },
  },
  {
    name: 'querier/v1/querier.proto',
    types: typesIn(querier),
    service: {
      name: 'querier.v1.QuerierService',
      methods: QUERIER_METHODS,
    },
  },
]

export const PYROSCOPE_PROTO_FILES: readonly ProtoFile[] = protoFiles(PYROSCOPE_PROTO_SOURCES)

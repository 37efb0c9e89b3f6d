// The .proto files of the protocol as descriptors, for the server's gRPC reflection. They use those of @hearth/signals, whose
// records Telemetry contains.
import type { Message, ProtoFile, ProtoSource } from '@hearth/signals'
import { PROTO_FILES, protoFiles } from '@hearth/signals'
import { BROKER_SERVICE, EVENT, EVENT_TYPES, MATCHED_EVENT } from './event.ts'
import { LIST_VALUE, NULL_VALUE, STRUCT, VALUE } from './value.ts'

const ROOT = 'kubefox/proto/v1'

export const BROKER_PROTO_SOURCES: readonly ProtoSource[] = [
  {
    name: 'google/protobuf/struct.proto',
    types: [STRUCT as Message, VALUE as Message, NULL_VALUE, LIST_VALUE as Message],
  },
  { name: `${ROOT}/protobuf_msgs.proto`, types: EVENT_TYPES },
  {
    name: `${ROOT}/broker_svc.proto`,
    types: [],
    service: {
      name: BROKER_SERVICE,
      methods: [
        { name: 'Subscribe', request: EVENT, response: MATCHED_EVENT, clientStreaming: true, serverStreaming: true },
      ],
    },
  },
]

export const BROKER_PROTO_FILES: readonly ProtoFile[] = protoFiles(BROKER_PROTO_SOURCES, PROTO_FILES)

// The .proto files of the protocol as text, with those of OpenTelemetry that Telemetry needs. A client in any language can be
// generated from them and google/protobuf/struct.proto, which every compiler includes.
import { PROTO_FILES, PROTO_SOURCES } from '@hearth/signals'
import { protoTexts } from '../../../../signals/src/testing/proto-text.ts'
import { BROKER_PROTO_FILES, BROKER_PROTO_SOURCES } from '../proto-files.ts'

const SIGNALS = /^opentelemetry\/proto\/(common|resource|trace|logs|metrics)\//

/** Texts by file name. */
export function brokerProtoTexts(): ReadonlyMap<string, string> {
  const own = BROKER_PROTO_SOURCES.filter(({ name }) => name.startsWith('kubefox/'))
  const signals = PROTO_SOURCES.filter(({ name }) => SIGNALS.test(name))
  return new Map([...protoTexts(own, [...PROTO_FILES, ...BROKER_PROTO_FILES]), ...protoTexts(signals, PROTO_FILES)])
}

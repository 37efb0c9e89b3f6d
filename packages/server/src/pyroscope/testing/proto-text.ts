// The text of the .proto files.
import { protoTexts as textsOf } from '../../../../signals/src/testing/proto-text.ts'
import { PYROSCOPE_PROTO_SOURCES } from '../proto-files.ts'

/** By file name. */
export function protoTexts(): ReadonlyMap<string, string> {
  return textsOf(PYROSCOPE_PROTO_SOURCES)
}

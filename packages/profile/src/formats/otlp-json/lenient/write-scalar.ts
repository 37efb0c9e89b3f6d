// Writes one number, text or run of bytes of OTLP/JSON as a protobuf field.
import { halvesOfDouble } from '../../../model/columns/any-value.ts'
import type { JsonReader } from '../../../wire/json/json-reader.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { MessageWriter } from '../../otlp/lenient/message-writer.ts'
import type { FieldSchema, Scalar } from '../../otlp/generations/schema.ts'
import { readBytes } from '../byte-text.ts'

/** Reads the next value. Throws JsonError. */
export function writeScalar(
  reader: JsonReader,
  writer: MessageWriter,
  { number, name }: FieldSchema,
  scalar: Scalar,
): void {
  switch (scalar) {
    case 'int32': {
      const value = reader.int32()
      return writer.varintField(number, value, value >> 31)
    }
    case 'uint32':
      return writer.varintField(number, reader.uint32(), 0)
    case 'int64':
    case 'uint64':
      reader.int64(scalar === 'int64' ? 'signed' : 'unsigned')
      return writer.varintField(number, reader.lo, reader.hi)
    case 'fixed64':
      reader.int64('unsigned')
      return writer.fixed64Field(number, reader.lo, reader.hi)
    case 'double':
      return writer.fixed64Field(number, ...halvesOfDouble(reader.double()))
    case 'bool':
      return writer.varintField(number, reader.boolean() ? 1 : 0, 0)
    case 'string':
      return writer.bytesField(number, encodeUtf8(reader.string()))
    case 'bytes':
      if (name === 'profile_id') return writer.bytesField(number, readBytes(reader, 'hex or base64'))
      return writer.bytesField(number, readBytes(reader, name === 'trace_id' || name === 'span_id' ? 'hex' : 'base64'))
  }
}

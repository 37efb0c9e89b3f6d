// Builds protobuf messages for tests, with fields in the given order. Numbers become varints, bytes and text become lengths.
import { BackwardWriter } from '../protobuf/backward-writer.ts'
import { encodeUtf8 } from '../utf8.ts'

export type ProtoField = readonly [field: number, content: Uint8Array | string | number | bigint]

export function protoMessage(...fields: readonly ProtoField[]): Uint8Array {
  const writer = new BackwardWriter(64)
  for (const [field, content] of fields.toReversed()) {
    if (typeof content === 'number' || typeof content === 'bigint') {
      const whole = BigInt(content)
      writer.reserve(20)
      writer.rawVarint64(Number(BigInt.asIntN(32, whole)), Number(BigInt.asIntN(32, whole >> 32n)))
      writer.rawVarint32(field << 3)
    } else {
      const bytes = typeof content === 'string' ? encodeUtf8(content) : content
      writer.bytesField((field << 3) | 2, bytes, 0, bytes.length)
    }
  }
  return writer.finish()
}

/** The content of a packed field. */
export function packedVarints(...numbers: readonly (number | bigint)[]): Uint8Array {
  const writer = new BackwardWriter(64)
  for (const number of numbers.toReversed()) {
    const whole = BigInt(number)
    writer.reserve(10)
    writer.rawVarint64(Number(BigInt.asIntN(32, whole)), Number(BigInt.asIntN(32, whole >> 32n)))
  }
  return writer.finish()
}

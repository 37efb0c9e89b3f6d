// Appends fields that no version of OTLP defines to messages of a payload.
import { joinBytes } from '../../../model/columns/unknown-fields.ts'
import { BackwardWriter } from '../../../wire/protobuf/backward-writer.ts'
import { FIXED32, FIXED64, LEN, ProtoReader, VARINT } from '../../../wire/protobuf/proto-reader.ts'
import type { Random } from '../../testing/random.ts'
import { below } from '../../testing/random.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'

const schema = schemaOf('v1.11')

/** The messages of a payload. */
export const MESSAGES: readonly string[] = [...schema.keys()]

/** Returns the payload with new fields at the end of the messages for which `isChosen` returns true. */
export function addUnknownFields(
  payload: Uint8Array,
  random: Random,
  isChosen: (message: string) => boolean,
): Uint8Array {
  return addFields(payload, shapeOf(ROOT), random, isChosen)
}

/** A message of any payload. */
export interface ExtendedMessage {
  readonly name: string
  readonly numbers: readonly number[]
  /** The message in a field. Undefined for other fields. */
  readonly inField: (field: number) => ExtendedMessage | undefined
}

function shapeOf(name: string): ExtendedMessage {
  const { byNumber } = messageOf(schema, name)
  const inField = (number: number): ExtendedMessage | undefined => {
    const field = byNumber.get(number)
    return field === undefined || field.scalar !== undefined ? undefined : shapeOf(field.type)
  }
  return { name, numbers: [...byNumber.keys()], inField }
}

/** The same for messages of other payloads. */
export function addFields(
  bytes: Uint8Array,
  message: ExtendedMessage,
  random: Random,
  isChosen: (message: string) => boolean,
): Uint8Array {
  const pieces: Uint8Array[] = []
  const reader = new ProtoReader(bytes, 0, bytes.length)
  for (let at = 0; reader.tag(); at = reader.pos) {
    const { field } = reader
    const inside = message.inField(field)
    if (inside === undefined) {
      reader.skip()
      pieces.push(bytes.subarray(at, reader.pos))
    } else {
      const inner = addFields(reader.view(), inside, random, isChosen)
      const writer = new BackwardWriter(inner.length + 16)
      writer.bytesField((field << 3) | LEN, inner, 0, inner.length)
      pieces.push(writer.finish())
    }
  }
  if (isChosen(message.name)) {
    const known = Math.max(...message.numbers)
    for (let count = 1 + below(random, 2); count > 0; count--) pieces.push(newField(known, random))
  }
  return joinBytes(pieces)
}

function newField(known: number, random: Random): Uint8Array {
  const number = below(random, 2) === 0 ? known + 1 + below(random, 20) : 1000 + below(random, 1 << 20)
  const wireType = [VARINT, FIXED64, LEN, FIXED32][below(random, 4)]
  const content = Uint8Array.from({ length: 8 }, () => below(random, 256))
  const writer = new BackwardWriter(64)
  writer.reserve(64)
  if (wireType === VARINT) writer.rawVarint64(below(random, 2 ** 31), below(random, 2) === 0 ? 0 : -1)
  else if (wireType === LEN) {
    const length = below(random, 8)
    writer.raw(content, 0, length)
    writer.rawVarint32(length)
  } else writer.raw(content, 0, wireType === FIXED64 ? 8 : 4)
  writer.rawVarint32((number << 3) | wireType)
  return writer.finish()
}

// Adds fields that no version defines to messages of any type.
import type { ExtendedMessage } from '../../../profile/src/formats/otlp/testing/add-unknown-fields.ts'
import { addFields } from '../../../profile/src/formats/otlp/testing/add-unknown-fields.ts'
import { randomFrom } from '../../../profile/src/formats/testing/random.ts'
import type { Message } from '../protobuf/field.ts'

/** Returns the encoded message with new fields in itself and in about a third of the messages in it. */
export function withUnknownFields(bytes: Uint8Array, message: Message, seed: number): Uint8Array {
  const random = randomFrom(seed)
  return addFields(bytes, shapeOf(message), random, name => name === message.name || random() < 0.3)
}

function shapeOf({ name, fields }: Message): ExtendedMessage {
  const byNumber = new Map(Object.values(fields).map(field => [field.number, field]))
  const inField = (number: number): ExtendedMessage | undefined => {
    const type = byNumber.get(number)?.message
    return type === undefined ? undefined : shapeOf(type())
  }
  return { name, numbers: [...byNumber.keys()], inField }
}

// Decodes and encodes messages of Pyroscope's API. Without parts of the HTTP server, because query threads load it.
import { FormatError } from '@hearth/profile'
import type { Message } from '@hearth/signals'
import { codecOf } from '@hearth/signals'
import { undecodable } from '../receive/refusal.ts'

export type MessageEncoding = 'json' | 'proto'

/** Throws a Refusal with invalid_argument if the input is broken. */
export function decodeMessage<T>(message: Message<T>, encoding: MessageEncoding, body: Uint8Array): T {
  const { decode, decodeJson } = codecOf(message, message.name)
  return decodedWith(encoding === 'json' ? decodeJson : decode, body)
}

export function encodeMessage<T>(message: Message<T>, encoding: MessageEncoding, content: T): Uint8Array {
  const { encode, encodeJson } = codecOf(message, message.name)
  return encoding === 'json' ? encodeJson(content) : encode(content)
}

/** Throws a Refusal with invalid_argument if the input is broken. */
export function decodedWith<T>(decode: (bytes: Uint8Array) => T, body: Uint8Array): T {
  try {
    return decode(body)
  } catch (error) {
    if (error instanceof FormatError) throw undecodable(error.message)
    throw error
  }
}

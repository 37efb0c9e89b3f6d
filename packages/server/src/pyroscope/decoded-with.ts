// Decodes a message of a request.
import { FormatError } from '@hearth/profile'
import { undecodable } from '../receive/refusal.ts'

/** Throws a Refusal with invalid_argument if the input is broken. */
export function decodedWith<T>(decode: (bytes: Uint8Array) => T, body: Uint8Array): T {
  try {
    return decode(body)
  } catch (error) {
    if (error instanceof FormatError) throw undecodable(error.message)
    throw error
  }
}

// For tests of the reader: builds a profile with given members, and returns the error of a text.
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { ReadOptions, ReadResult } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { readOtlpJson } from '../read.ts'

export function readText(text: string, options: ReadOptions = {}): ReadResult {
  return readOtlpJson(encodeUtf8(text), options)
}

/** A message with a single profile with these members. */
export function profileText(members: string, dictionary = ''): string {
  return `{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{${members}}]}]}],"dictionary":{${dictionary}}}`
}

export function errorOf(text: string, options: ReadOptions = {}): FormatError {
  try {
    readText(text, options)
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error(`this was read: ${text}`)
}

/** The error, and the text at its offset. */
export function explain(text: string, options: ReadOptions = {}): string {
  const { what, path, offset } = errorOf(text, options)
  return `${what} | ${path} | ${text.slice(offset, offset + 12)}`
}

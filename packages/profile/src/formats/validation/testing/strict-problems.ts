// The problems of a file in strict mode, as "rule path", whether or not its reader accepts it.
import { FormatError } from '../../format.ts'
import { readProfile } from '../../read-profile.ts'
import { validateFile } from '../validate-file.ts'

export function strictProblems(bytes: Uint8Array, reading: { format: string; generation?: string }): string[] {
  try {
    return shown(validateFile(bytes, readProfile(bytes, reading).profiles, { ...reading, strict: true }))
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return shown(validateFile(bytes, error, { ...reading, strict: true }))
  }
}

const shown = (problems: readonly { rule: string; path: string }[]): string[] =>
  problems.map(({ rule, path }) => `${rule} ${path}`)

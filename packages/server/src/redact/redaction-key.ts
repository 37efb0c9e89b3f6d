// The secret key of hashes. Without it, anybody could hash a list of addresses and recognise them.
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEY_BYTES = 32

/** Reads the key, or creates one in the data directory. `file` is the setting. */
export function redactionKey(dataDirectory: string, file: string | undefined): Uint8Array {
  if (file !== undefined) return nonEmpty(file, readFileSync(file))
  const own = join(dataDirectory, 'redaction.key')
  try {
    // Fails if the file exists, so that two servers agree on one key.
    writeFileSync(own, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return nonEmpty(own, readFileSync(own))
}

function nonEmpty(file: string, key: Uint8Array): Uint8Array {
  if (key.length < KEY_BYTES) throw new Error(`${file}: a redaction key needs at least ${KEY_BYTES} bytes`)
  return key
}

// Real profiles of other projects' profilers. They are not part of the repository, so that a file can be missing.
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const CORPORA = new URL('../../../../shared/corpora/', import.meta.url)

/** The content of a file, without gzip. Undefined if it is not on this machine. */
export function corpusFile(path: string): Uint8Array | undefined {
  const url = new URL(path, CORPORA)
  if (!existsSync(url)) return undefined
  const stored = readFileSync(url)
  return path.endsWith('.gz') ? gunzipSync(stored) : stored
}

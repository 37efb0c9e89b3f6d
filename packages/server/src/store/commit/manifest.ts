// manifest.json of a committed group: its files with checksums, and its requests.
import { crc32 } from 'node:zlib'
import type { RequestKey } from '../engine.ts'

export interface JournalFile {
  readonly table: string
  /** In the group's directory. */
  readonly file: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly bytes: number
  readonly crc32: number
  /** A deduplication token for the engine. */
  readonly token: string
}

export type JournalRequest = RequestKey

export interface Manifest {
  readonly version: 1
  /** Unix milliseconds. */
  readonly committed: number
  /** In order of insertion. */
  readonly files: readonly JournalFile[]
  readonly requests: readonly JournalRequest[]
}

export class BrokenGroupError extends Error {
  override readonly name = 'BrokenGroupError'
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  const check = crc32(JSON.stringify(manifest))
  return new TextEncoder().encode(JSON.stringify({ check, manifest }))
}

/** Throws BrokenGroupError unless encodeManifest wrote the bytes. */
export function decodeManifest(bytes: Uint8Array): Manifest {
  let outer: unknown
  try {
    outer = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new BrokenGroupError('manifest.json is not JSON', { cause: error })
  }
  const { check, manifest } = (outer ?? {}) as { readonly check?: unknown; readonly manifest?: Partial<Manifest> }
  // The checksum covers the text, which JSON.stringify reproduces exactly. A correct checksum proves that encodeManifest
  // wrote the file, so its fields need no checks.
  if (manifest === undefined || check !== crc32(JSON.stringify(manifest)))
    throw new BrokenGroupError('manifest.json has the wrong checksum')
  if (manifest.version !== 1)
    throw new BrokenGroupError(
      `manifest.json has version ${String(manifest.version)}, which this server does not support`,
    )
  return manifest as Manifest
}

// manifest.json of a committed group: which files it has, how to know that they are whole, and which requests are in it.
import { crc32 } from 'node:zlib'

export interface JournalFile {
  readonly table: string
  /** In the group's directory. */
  readonly file: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly bytes: number
  readonly crc32: number
  /** For the engine, to know the rows if they come a second time. */
  readonly token: string
}

export interface JournalRequest {
  readonly tenant: string
  /** 16 bytes as hexadecimal digits. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly received: number
}

export interface Manifest {
  readonly version: 1
  /** Milliseconds since 1970. */
  readonly committed: number
  /** In the order in which they must be inserted. */
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

/** Throws BrokenGroupError for anything but what encodeManifest made. */
export function decodeManifest(bytes: Uint8Array): Manifest {
  let outer: unknown
  try {
    outer = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new BrokenGroupError('manifest.json is not JSON', { cause: error })
  }
  const { check, manifest } = (outer ?? {}) as { readonly check?: unknown; readonly manifest?: Partial<Manifest> }
  // The sum is over the text, which JSON.stringify makes equal again from equal content; what has the right sum was written
  // by encodeManifest, so its fields need no checks of their own.
  if (manifest === undefined || check !== crc32(JSON.stringify(manifest)))
    throw new BrokenGroupError('manifest.json has the wrong checksum')
  if (manifest.version !== 1)
    throw new BrokenGroupError(`manifest.json has version ${String(manifest.version)}, which this server cannot read`)
  return manifest as Manifest
}

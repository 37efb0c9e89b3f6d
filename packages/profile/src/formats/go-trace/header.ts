// The 16 bytes with which every Go execution trace begins: `go 1.26 trace` and three zeros.
import { FormatError } from '../format.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FORMAT } from './trace-cursor.ts'

export const HEADER_BYTES = 16
const HEADER = /^go 1\.(\d{1,2}) trace\0\0\0?$/
/** Traces of Go 1.5 to 1.21 have another layout. */
const FIRST_VERSION = 22
export const NEWEST_VERSION = 26

/** The minor version of Go's, undefined if it is no such trace. */
export function traceVersion(head: Uint8Array): number | undefined {
  if (head.length < HEADER_BYTES || head[0] !== 103) return undefined
  const [, minor] = HEADER.exec(decodeUtf8(head, 0, HEADER_BYTES)) ?? []
  return minor === undefined ? undefined : Number(minor)
}

export function readHeader(bytes: Uint8Array): number {
  const version = traceVersion(bytes)
  if (version === undefined) throw new FormatError(FORMAT, 0, 'no header of a Go execution trace')
  if (version < FIRST_VERSION) {
    throw new FormatError(
      FORMAT,
      3,
      `a trace of Go 1.${version}: the layout from before Go 1.${FIRST_VERSION} is not read`,
    )
  }
  return version
}

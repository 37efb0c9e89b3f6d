// The 16 bytes at the start of every Go execution trace: `go 1.26 trace` and three zeros.
import { FormatError } from '../format.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FORMAT } from './trace-cursor.ts'

export const HEADER_BYTES = 16
const HEADER = /^go 1\.(\d{1,2}) trace\0\0\0?$/
/** Traces of Go 1.5 to 1.21 have another layout. */
const FIRST_VERSION = 22
export const NEWEST_VERSION = 26

/** The minor version of Go. Undefined if it is not such a trace. */
export function traceVersion(head: Uint8Array): number | undefined {
  if (head.length < HEADER_BYTES || head[0] !== 103) return undefined
  const [, minor] = HEADER.exec(decodeUtf8(head, 0, HEADER_BYTES)) ?? []
  return minor === undefined ? undefined : Number(minor)
}

export function readHeader(bytes: Uint8Array): number {
  const version = traceVersion(bytes)
  if (version === undefined) throw new FormatError(FORMAT, 0, 'no header of a Go execution trace')
  if (version < FIRST_VERSION) {
    throw new FormatError(FORMAT, 3, `a trace of Go 1.${version}; only Go 1.${FIRST_VERSION} and newer are supported`)
  }
  return version
}

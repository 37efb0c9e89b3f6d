// The build ids of mapped files by file name, from the header of a file or from records at the end of a pipe.
import { hexOf } from '../../model/text/hex.ts'
import type { PerfSection } from './file-header.ts'
import type { PerfBytes } from './perf-bytes.ts'
import { Misc } from './record-types.ts'

/** The record has a header, the pid, 20 bytes of id, the length of the id, padding, and then the name. */
const NAME_AT = 36
const ID_AT = 12
const MAX_ID = 20

export class BuildIds {
  readonly #byName = new Map<string, string>()

  of(fileName: string): string | undefined {
    return this.#byName.get(fileName)
  }

  readSection(file: PerfBytes, { from, to }: PerfSection): void {
    for (let at = from; at + 8 <= to;) {
      const size = file.u16(at + 6)
      if (size < NAME_AT || at + size > to) return
      this.readRecord(file, at, at + size)
      at += size
    }
  }

  readRecord(file: PerfBytes, at: number, end: number): void {
    if (end - at < NAME_AT) return
    const isSized = (file.u16(at + 4) & Misc.buildIdSize) !== 0
    const id = buildIdText(file, at + ID_AT, isSized ? file.bytes[at + ID_AT + MAX_ID] : MAX_ID)
    if (id !== '') this.#byName.set(file.text(at + NAME_AT, end), id)
  }
}

/** The id in hex; empty if there is none. */
export function buildIdText(file: PerfBytes, at: number, length: number): string {
  const id = file.bytes.subarray(at, at + Math.min(length, MAX_ID))
  if (id.every(byte => byte === 0)) return ''
  return hexOf(id)
}

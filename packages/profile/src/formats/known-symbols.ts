// The symbols that readers recognise from earlier calls. Decoding, checking and storing them again would be most of the work of a
// request from an agent, which sends the same functions and stacks every few seconds.
import type { Profiles } from '../model/columns/profiles.ts'
import { ReusedMemory } from '../model/columns/reused-memory.ts'
import type { PprofTables } from './pprof/known-tables.ts'
import type { RepeatedBytesOptions } from './repeated-bytes.ts'
import { RepeatedBytes } from './repeated-bytes.ts'

/** The dictionary of a message. */
export interface RepeatedDictionary {
  /** Reads another message in which the dictionary is the given field. Undefined if the complete reader must read it. */
  read(bytes: Uint8Array, from: number, to: number, field: ByteRange): Profiles | undefined
}

export interface ByteRange {
  readonly from: number
  readonly to: number
}

export class KnownSymbols {
  /** The dictionaries of OTLP requests. */
  readonly dictionaries: RepeatedBytes<RepeatedDictionary>
  /** The tables of pprof files. */
  readonly pprofTables: RepeatedBytes<PprofTables>
  /** For the profiles of the first file of a request. The caller releases it before the next request. */
  readonly memory = new ReusedMemory()

  constructor(options: RepeatedBytesOptions) {
    this.dictionaries = new RepeatedBytes(options)
    this.pprofTables = new RepeatedBytes(options)
  }
}

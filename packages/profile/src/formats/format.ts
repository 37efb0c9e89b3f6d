// The shape that every format has, and the two ways in which reading or writing tells of trouble: a FormatError when the
// input is broken, notes when something could not be carried.
import type { Codecs } from '../wire/compression/compression.ts'
import type { Profiles } from '../model/columns/profiles.ts'

export interface Format {
  /** As the command line spells it. */
  readonly name: string
  /** One line for people. */
  readonly title: string
  readonly extensions: readonly string[]
  /** What a direction cannot carry, for `hearth formats`; undefined where the direction does not exist. */
  readonly reads?: Carries
  readonly writes?: Carries
  /** Looks at the uncompressed start of a file; `fileName` may be empty. */
  detect(head: Uint8Array, fileName: string): Confidence
  /** Throws FormatError. */
  read?(bytes: Uint8Array, options: ReadOptions): ReadResult
  write?(profiles: Profiles, options: WriteOptions): WriteResult
}

export type Confidence = 'certain' | 'possible' | 'no'

/** One line each: what is lost in this direction. Empty: nothing. */
export interface Carries {
  readonly losses: readonly string[]
}

export interface ReadOptions {
  /** Which generation of the format to read, where it has several; recognised when not given. */
  readonly generation?: string
  /** For formats with compressed parts inside. */
  readonly codecs?: Codecs
  /** Read a broken file as far as it goes; a note says what is missing. */
  readonly lenient?: boolean
  /** For jfr: the message LabelsSnapshot that Pyroscope's agent sends beside a recording. */
  readonly labels?: Uint8Array
  /**
   * Called where the bytes are needed no longer though much is left to do, so that they may be overwritten or freed. For
   * chrome-trace, whose events are 100 MB as text and 30 as columns; profiles of many other formats keep the bytes.
   */
  readonly onBytesRead?: () => void
  /**
   * Takes what is wrong with a single profile as a reason to leave out that profile, and goes on; without it the first fault
   * is thrown. Called in the order of the profiles, when all the rest is read. For otlp and otlp-json; `lenient`, which
   * mends profiles instead, goes before it.
   */
  readonly onRejectedProfile?: (reject: ProfileReject) => void
}

/** A profile that was left out, and why. */
export interface ProfileReject {
  /** The field that is at fault, as `resource_profiles[0].scope_profiles[1].profiles[3].samples[2].stack_index`. */
  readonly path: string
  readonly what: string
}

export interface WriteOptions {
  /** Write anew even where the profiles carry the original bytes of this format (`keepOriginal` when they were read). */
  readonly fresh?: boolean
  /** To look into an original payload that is compressed; gzip works without. */
  readonly codecs?: Codecs
  /** For text formats: indent for people. */
  readonly pretty?: boolean
  /** For formats that hold one profile: the type of the one to write. The first profile where it is not given. */
  readonly type?: string
  /** For folded: with the attributes, links and timestamps of samples, and a header. */
  readonly extended?: boolean
  /** For folded: mark kernel, jit and inlined frames as `_[k]`, `_[j]`, `_[i]`. If not given, as the profile was read. */
  readonly annotations?: boolean
}

export interface ReadResult {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
  /** Which generation of the format it was; empty where there is only one. */
  readonly generation: string
}

export interface WriteResult {
  readonly bytes: Uint8Array
  readonly notes: readonly Note[]
}

/** Something that could not be carried or had to be interpreted. Codes are stable; messages are for people. */
export interface Note {
  readonly code: string
  readonly count: number
  readonly message: string
}

/** Counts notes by code while a reader or writer runs. */
export class NoteList {
  readonly #notes = new Map<string, { code: string; count: number; message: string }>()

  add(code: string, message: string, count = 1): void {
    if (count === 0) return
    const note = this.#notes.get(code)
    if (note === undefined) this.#notes.set(code, { code, count, message })
    else note.count += count
  }

  list(): Note[] {
    return [...this.#notes.values()]
  }
}

/** Broken input: which format, where and why. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly format: string
  readonly offset: number
  readonly what: string
  /** The field in which it is, as `resource_profiles[0].scope_profiles[1]`; empty where that is not known. */
  readonly path: string

  constructor(format: string, offset: number, what: string, path = '') {
    super(`${format}: ${what} at byte ${offset}${path === '' ? '' : ` (${path})`}`)
    this.format = format
    this.offset = offset
    this.what = what
    this.path = path
  }
}

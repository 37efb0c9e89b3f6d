// The interface of every format. Broken input is reported as a FormatError. Content that cannot be represented is
// reported as a note.
import type { Codecs } from '../wire/compression/compression.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import type { KnownSymbols } from './known-symbols.ts'
import type { SnapshotMode } from '../model/temporality/gauge-types.ts'

export interface Format {
  /** The name on the command line. */
  readonly name: string
  /** A one-line description for users. */
  readonly title: string
  readonly extensions: readonly string[]
  /** The losses of each direction, for `hearth formats`. Undefined if the format cannot be read or written. */
  readonly reads?: Carries
  readonly writes?: Carries
  /** Inspects the uncompressed start of a file. `fileName` may be empty. */
  detect(head: Uint8Array, fileName: string): Confidence
  /** Throws FormatError. */
  read?(bytes: Uint8Array, options: ReadOptions): ReadResult
  write?(profiles: Profiles, options: WriteOptions): WriteResult
}

export type Confidence = 'certain' | 'possible' | 'no'

/** The losses of one direction, one line each. An empty list means that nothing is lost. */
interface Carries {
  readonly losses: readonly string[]
}

export interface ReadOptions {
  /** The generation to read, for formats with several generations. Detected if absent. */
  readonly generation?: string
  /** Codecs for formats with compressed parts. */
  readonly codecs?: Codecs
  /** Reads as much of a broken file as possible. Notes report what is missing. */
  readonly lenient?: boolean
  /** For jfr: the LabelsSnapshot message that Pyroscope's agent sends with a recording. */
  readonly labels?: Uint8Array
  /**
   * Called as soon as the reader no longer needs the bytes, so that the caller may overwrite or free them. Only chrome-trace
   * calls it: its events take 100 MB as text and 30 MB as columns. Profiles of many other formats refer to the bytes.
   */
  readonly onBytesRead?: () => void
  /**
   * Makes the reader drop single invalid profiles instead of throwing the first error. Called in the order of the profiles,
   * after everything else was read. Only otlp and otlp-json support it. `lenient`, which repairs profiles instead, takes
   * precedence.
   */
  readonly onRejectedProfile?: (reject: ProfileReject) => void
  /**
   * Symbols of earlier calls, for senders that repeat them. The profiles are then valid until the next call for otlp, and until
   * the caller releases their memory for pprof.
   */
  readonly symbols?: KnownSymbols
}

/** A profile that the reader dropped, and the reason. */
export interface ProfileReject {
  /** The invalid field, for example `resource_profiles[0].scope_profiles[1].profiles[3].samples[2].stack_index`. */
  readonly path: string
  readonly what: string
}

export interface WriteOptions {
  /** Write the profiles again even if they contain the original bytes of this format (see `keepOriginal`). */
  readonly fresh?: boolean
  /** Codecs for a compressed original payload. gzip works without. */
  readonly codecs?: Codecs
  /** The generation to write. For otlp: v1.11 (the default) or next. For otep239: otep (the default) or v1.3. */
  readonly generation?: string
  /** For formats that add all profiles up: how snapshots of a state are combined over time. Default: 'average'. */
  readonly snapshots?: SnapshotMode
  /** For text formats: indent the output. */
  readonly pretty?: boolean
  /** For formats that hold one profile: the type of the profile to write. The default is the first profile. */
  readonly type?: string
  /** For folded: write a header, and the attributes, links and timestamps of samples. */
  readonly extended?: boolean
  /** For folded: mark kernel, jit and inlined frames as `_[k]`, `_[j]`, `_[i]`. The default is how the profile was read. */
  readonly annotations?: boolean
}

export interface ReadResult {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
  /** The generation that was read. Empty for formats with one generation. */
  readonly generation: string
}

export interface WriteResult {
  readonly bytes: Uint8Array
  readonly notes: readonly Note[]
}

/** Reports content that was lost or had to be interpreted. Codes are stable, messages are for users. */
export interface Note {
  readonly code: string
  readonly count: number
  readonly message: string
  /** Marks notes about parts of a file that could not be read, or that were lost before. Totals may be too small. */
  readonly isDamage?: boolean
}

/** Counts notes by code while a reader or writer runs. */
export class NoteList {
  readonly #notes = new Map<string, Note>()

  add(code: string, message: string, count = 1): void {
    this.#add({ code, count, message })
  }

  /** Adds a note about a part of the file that is missing from the result. Commands that show totals always print it. */
  addDamage(code: string, message: string, count = 1): void {
    this.#add({ code, count, message, isDamage: true })
  }

  addAll(notes: Iterable<Note>): void {
    for (const note of notes) this.#add(note)
  }

  #add(note: Note): void {
    if (note.count === 0) return
    const known = this.#notes.get(note.code)
    this.#notes.set(note.code, known === undefined ? note : { ...known, count: known.count + note.count })
  }

  get isEmpty(): boolean {
    return this.#notes.size === 0
  }

  list(): Note[] {
    return [...this.#notes.values()]
  }
}

/** Reports broken input: the format, the position and the cause. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly format: string
  readonly offset: number
  readonly what: string
  /** The field with the error, for example `resource_profiles[0].scope_profiles[1]`. Empty if unknown. */
  readonly path: string

  constructor(format: string, offset: number, what: string, path = '') {
    super(`${format}: ${what} at byte ${offset}${path === '' ? '' : ` (${path})`}`)
    this.format = format
    this.offset = offset
    this.what = what
    this.path = path
  }
}

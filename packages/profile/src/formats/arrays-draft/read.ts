// Reads profiles of the arrays draft: ProfilesData or a bare Profile, in any of the four numberings.
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { checkedResource, checkedScope } from '../former-drafts/decode-common.ts'
import { MessageParts, PartsSource } from '../former-drafts/message-parts.ts'
import { ExpansionLimit } from '../expansion-limit.ts'
import { decodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { readDraftProfile } from './read-profile.ts'
import type { ReadContext } from '../former-drafts/symbol-table-reader.ts'
import type { DraftGeneration } from './shapes.ts'
import { GENERATIONS, PROFILES_DATA, RESOURCE_PROFILES, SCOPE_PROFILES } from './shapes.ts'
import { isEnvelope } from './sniff.ts'

/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1
const FORMAT = 'arrays-draft'

export function readArraysDraft(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES) {
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  }
  const reading = new Reading(bytes, options)
  try {
    reading.read()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new FormatError(FORMAT, error.offset, error.what, reading.path())
  }
  return reading.result()
}

class Reading {
  readonly #bytes: Uint8Array
  readonly #source: PartsSource
  readonly #builder = new ProfilesBuilder()
  readonly #notes = new NoteList()
  readonly #context: ReadContext
  readonly #wanted: DraftGeneration | undefined
  readonly #generations = new Set<DraftGeneration>()
  /** The path of the profile that is being read. */
  #profilePath = ''

  constructor(bytes: Uint8Array, { lenient, generation }: ReadOptions) {
    this.#bytes = bytes
    this.#source = new PartsSource(bytes, lenient ?? false)
    this.#wanted = wantedGeneration(generation)
    this.#context = {
      source: this.#source,
      builder: this.#builder,
      notes: this.#notes,
      limit: new ExpansionLimit(bytes.length),
      place: { table: '', row: 0 },
    }
  }

  read(): void {
    const { length } = this.#bytes
    if (isEnvelope(this.#bytes, 0, length)) this.#readEnvelope()
    else this.#readProfile(0, length, '')
  }

  path(): string {
    const { table, row } = this.#context.place
    const inner = table === '' ? '' : `${table}[${row}]`
    return this.#profilePath === '' || inner === '' ? this.#profilePath + inner : `${this.#profilePath}.${inner}`
  }

  result(): ReadResult {
    const { unknownFields, broken } = this.#source
    this.#notes.add('unknown-fields', 'fields that the draft does not define were dropped', unknownFields)
    this.#notes.addDamage('truncated', 'truncated or broken messages were read as far as possible', broken)
    const generation = [...this.#generations].join(', ')
    return { profiles: this.#builder.build(), notes: this.#notes.list(), generation }
  }

  #readEnvelope(): void {
    const root = new MessageParts(this.#source, PROFILES_DATA).read(0, this.#bytes.length)
    const resource = new MessageParts(this.#source, RESOURCE_PROFILES)
    const scope = new MessageParts(this.#source, SCOPE_PROFILES)
    for (let r = 0; r < root.count(1); r++) {
      const path = `resource_profiles[${r}]`
      this.#profilePath = path
      resource.read(root.from(1, r), root.to(1, r))
      this.#readResource(resource)
      for (let s = 0; s < resource.count(2); s++) {
        this.#profilePath = `${path}.scope_profiles[${s}]`
        scope.read(resource.from(2, s), resource.to(2, s))
        this.#readScope(scope)
        for (let p = 0; p < scope.count(2); p++) {
          this.#readProfile(scope.from(2, p), scope.to(2, p), `${path}.scope_profiles[${s}].profiles[${p}]`)
        }
      }
    }
  }

  #readResource(parts: MessageParts): void {
    const resource = this.#tried(() =>
      checkedResource(this.#bytes, parts.lastFrom(1), parts.lastFrom(1) + parts.view(1).length),
    )
    this.#builder.resource(resource, this.#text(parts, 3))
  }

  #readScope(parts: MessageParts): void {
    const scope = this.#tried(() =>
      checkedScope(this.#bytes, parts.lastFrom(1), parts.lastFrom(1) + parts.view(1).length),
    )
    this.#builder.scope(scope, this.#text(parts, 3))
  }

  /** Returns undefined for a broken message in lenient mode. */
  #tried<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!this.#source.lenient || !(error instanceof WireError)) throw error
      this.#source.broken++
      return undefined
    }
  }

  #text(parts: MessageParts, field: number): string {
    const from = parts.lastFrom(field)
    const to = from + parts.view(field).length
    if (!this.#source.lenient && !isUtf8(this.#bytes, from, to)) throw new WireError(from, 'string is not valid UTF-8')
    return decodeUtf8(this.#bytes, from, to)
  }

  #readProfile(from: number, to: number, path: string): void {
    this.#profilePath = path
    try {
      this.#generations.add(readDraftProfile(this.#context, from, to, this.#wanted))
    } catch (error) {
      if (!this.#source.lenient || !(error instanceof WireError)) throw error
      this.#notes.addDamage('skipped-profiles', 'broken profiles were read as far as possible')
    }
  }
}

function wantedGeneration(text: string | undefined): DraftGeneration | undefined {
  if (text === undefined || text === '') return undefined
  const generation = GENERATIONS.find(known => known === text)
  if (generation === undefined) {
    throw new RangeError(`unknown generation "${text}" of the arrays draft; expected ${GENERATIONS.join(', ')}`)
  }
  return generation
}

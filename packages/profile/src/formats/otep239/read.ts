// Reads profiles of OTEP 0239. The released form (v1.3) is the same on the wire, and formats/otlp reads it. meaning.ts
// determines what differs in meaning. Most files are read by direct-reader.ts, and this general reader reads the others.
import type { Profiles } from '../../model/columns/profiles.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { legacyToProfiles } from '../otlp/legacy/read.ts'
import type { Steps } from '../otlp/locate.ts'
import { offsetOf, pathAt, pathOf } from '../otlp/locate.ts'
import { messageIn, messagesOf } from '../otlp/generations/message-fields.ts'
import { ROOT } from '../otlp/generations/schema.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import type { SampleMeaning } from '../otlp/legacy/samples.ts'
import { SchemaReader } from '../otlp/generations/schema-reader.ts'
import type { Otep239Generation } from './generation.ts'
import { generationOf } from './generation.ts'
import { readDirectly } from './direct-reader.ts'
import { meaningOf } from './meaning.ts'
import { mappedMessages } from './mapped-messages.ts'
import { repairedBytes, repairedContainer } from './repair.ts'
import { isPprof, withPlaces } from './pprof-ids.ts'
import type { Root, Wrapped } from './root.ts'
import { rootOf, wrapped } from './root.ts'
import type { StackOrder } from './stack-order.ts'

/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1024
const FORMAT = 'otep239'
/** The generation of formats/otlp that corresponds to the document. */
const RELEASED = 'v1.3'

export function readOtep239(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  const direct = options.generation === undefined ? readDirectly(bytes) : undefined
  if (direct === undefined) return readGenerally(bytes, options)
  return { profiles: direct.profiles, notes: direct.notes.list(), generation: generationName(direct.orders) }
}

/** Reads any file. */
export function readGenerally(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const notes = new NoteList()
  const root = rootOf(bytes)
  const file = wrapped(bytes, root)
  const generation = generationOf(options.generation)
  try {
    return readFile(file, root, new NoteList(), generation, false)
  } catch (error) {
    // Intact files need no repair, which is slow.
    if (options.lenient !== true || !(error instanceof FormatError)) throw error
    return readFile({ ...file, bytes: repairedBytes(file.bytes, notes) }, root, notes, generation, true)
  }
}

function readFile(
  file: Wrapped,
  root: Root,
  notes: NoteList,
  generation: Otep239Generation | undefined,
  lenient: boolean,
): ReadResult {
  const reading = new Reading(file, root, notes, generation, lenient)
  const profiles = reading.read()
  return { profiles, notes: notes.list(), generation: reading.generation() }
}

/** The generation of a file whose containers have slices in these orders. */
function generationName(orders: ReadonlySet<StackOrder>): string {
  return orders.has('leaf-first') && orders.size === 1 ? RELEASED : 'otep'
}

class Reading {
  readonly #file: Wrapped
  readonly #root: Root
  readonly #notes: NoteList
  readonly #wanted: Otep239Generation | undefined
  readonly #lenient: boolean
  readonly #orders = new Set<StackOrder>()
  readonly #meanings = new WeakMap<Message, SampleMeaning>()

  constructor(file: Wrapped, root: Root, notes: NoteList, wanted: Otep239Generation | undefined, lenient: boolean) {
    this.#file = file
    this.#root = root
    this.#notes = notes
    this.#wanted = wanted
    this.#lenient = lenient
  }

  generation(): string {
    return this.#wanted ?? generationName(this.#orders)
  }

  read(): Profiles {
    const { bytes } = this.#file
    const reader = new SchemaReader(bytes, RELEASED, { lazy: true })
    try {
      const root = this.#withMeaning(reader.read(ROOT, 0, bytes.length))
      const fail = (steps: Steps, what: string): never => this.#fail(steps, what)
      const profiles = legacyToProfiles(root, RELEASED, this.#notes, {
        fail,
        bytes,
        inputSize: bytes.length,
        meaningOf: container => this.#meanings.get(container),
      })
      this.#notes.add('unknown-fields', 'fields that OTEP 0239 does not define were dropped', reader.unknownFields)
      return profiles
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      return this.#reject(error.offset, error.what, pathAt(bytes, RELEASED, error.offset))
    }
  }

  #withMeaning(root: Message): Message {
    return {
      ...root,
      resource_profiles: mappedMessages(messagesOf(root, 'resource_profiles'), (resource, r) => ({
        ...resource,
        scope_profiles: mappedMessages(messagesOf(resource, 'scope_profiles'), (scope, s) => ({
          ...scope,
          profiles: mappedMessages(messagesOf(scope, 'profiles'), (container, p) =>
            this.#container(container, [
              ['resource_profiles', r],
              ['scope_profiles', s],
              ['profiles', p],
              ['profile', 0],
            ]),
          ),
        })),
      })),
    }
  }

  #container(container: Message, steps: Steps): Message {
    let sound = container
    const profile = messageIn(container, 'profile')
    if (this.#root === 'Profile' && profile !== undefined && isPprof(profile)) {
      const unknown = (table: string, id: bigint): number =>
        this.#lenient ? Number.MAX_SAFE_INTEGER : this.#fail([...steps, [table, 0]], `no ${table} has the id ${id}`)
      sound = { ...container, profile: withPlaces(profile, unknown) }
    }
    if (this.#lenient) sound = repairedContainer(sound, this.#notes)
    const meant = meaningOf(sound, {
      notes: this.#notes,
      generation: this.#wanted,
      found: order => this.#orders.add(order),
    })
    if (meant === undefined) return sound
    this.#meanings.set(meant.container, meant.samples)
    return meant.container
  }

  #fail(steps: Steps, what: string): never {
    const { bytes } = this.#file
    return this.#reject(offsetOf(bytes, RELEASED, steps), what, pathOf(RELEASED, steps))
  }

  #reject(offset: number, what: string, path: string): never {
    const { shift, prefix } = this.#file
    const isInside = prefix !== '' && path.startsWith(prefix)
    const inner = isInside ? path.slice(prefix.length).replace(/^\./, '') : path
    throw new FormatError(FORMAT, Math.max(0, offset - shift), what, inner)
  }
}

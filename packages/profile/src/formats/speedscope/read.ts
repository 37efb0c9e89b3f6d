// Reads speedscope files: the shared frames, then profile by profile. The two may have either order, so profiles that
// precede the frames are skipped and read afterwards.
import type { KeyValue } from '../../model/columns/any-value.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { SPEEDSCOPE_ATTRIBUTES } from './names.ts'
import { readFrames } from './read-frames.ts'
import { ProfileReader } from './read-profile.ts'

const FORMAT = 'speedscope'
/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

interface FileParts {
  readonly name: string
  readonly exporter: string
  readonly active: bigint | undefined
  /** Offsets of the list of profiles and the list of frames. NONE_YET until they are found. */
  readonly profiles: number
  readonly frames: number
  /** The offset at which a truncated file ends. Only set if `lenient`. */
  readonly cutAt: number | undefined
}

const NONE_YET = -1

export function readSpeedscope(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  try {
    return read(bytes, options.lenient === true)
  } catch (error) {
    if (error instanceof JsonError) throw new FormatError(FORMAT, error.offset, error.what, error.path)
    throw error
  }
}

function read(bytes: Uint8Array, lenient: boolean): ReadResult {
  const notes = new NoteList()
  const parts = findParts(bytes, lenient)
  const end = parts.cutAt ?? bytes.length
  if (parts.frames === NONE_YET) throw new FormatError(FORMAT, end, 'no list of frames', 'shared.frames')
  if (parts.profiles === NONE_YET) throw new FormatError(FORMAT, end, 'no list of profiles', 'profiles')
  const builder = new ProfilesBuilder()
  builder.resource()
  addScope(builder, parts)
  const cut = (): void => notes.addDamage('truncated', 'the file is truncated; everything after its end is missing')
  if (parts.cutAt !== undefined) cut()
  const frames = inPath('shared.frames', () => readFrames(new JsonReader(bytes, { offset: parts.frames }), builder))
  const reader = new JsonReader(bytes, { offset: parts.profiles })
  const profiles = new ProfileReader(bytes, builder, frames, notes, lenient)
  inPath('profiles', () => {
    reader.beginArray()
    try {
      for (let i = 0; reader.nextItem(); i++) profiles.read(reader, i)
    } catch (error) {
      // `cutAt` reported it already: the list ends where the file does.
      if (!(error instanceof JsonError) || parts.cutAt === undefined || error.offset < parts.cutAt) throw error
    }
    profiles.finish()
  })
  if (builder.draft.profiles.length === 0) notes.add('no-profiles', 'the file has no profile')
  return { profiles: builder.build(), notes: notes.list(), generation: '' }
}

function findParts(bytes: Uint8Array, lenient: boolean): FileParts {
  const reader = new JsonReader(bytes)
  let name = ''
  let exporter = ''
  let active: bigint | undefined
  let profiles = NONE_YET
  let frames = NONE_YET
  let cutAt: number | undefined
  try {
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'name' && reader.peek() === 'string') name = reader.string()
      else if (key === 'exporter' && reader.peek() === 'string') exporter = reader.string()
      else if (key === 'activeProfileIndex' && reader.peek() === 'number') active = BigInt(reader.int32())
      else if (key === 'profiles' && reader.peek() === 'array') profiles = reader.offset
      else if (key === 'shared' && reader.peek() === 'object') frames = findFrames(reader)
    }
    if (reader.peek() !== 'end') reader.fail('unexpected content after the file')
  } catch (error) {
    if (!lenient || !(error instanceof JsonError) || frames === NONE_YET) throw error
    cutAt = error.offset
  }
  return { name, exporter, active, profiles, frames, cutAt }
}

function findFrames(reader: JsonReader): number {
  let frames = NONE_YET
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    if (key === 'frames' && reader.peek() === 'array') frames = reader.offset
  }
  return frames
}

function addScope(builder: ProfilesBuilder, { name, exporter, active }: FileParts): void {
  const split = exporter.lastIndexOf('@')
  const attributes: KeyValue[] = []
  if (name !== '') attributes.push({ key: SPEEDSCOPE_ATTRIBUTES.fileName, value: name })
  if (active !== undefined) attributes.push({ key: SPEEDSCOPE_ATTRIBUTES.activeProfile, value: active })
  builder.scope({
    name: split < 0 ? exporter : exporter.slice(0, split),
    version: split < 0 ? '' : exporter.slice(split + 1),
    attributes,
  })
}

/** Adds the path to errors of readers that begin within the file. */
function inPath<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const rest = error.path === '' || error.path.startsWith('[') ? error.path : `.${error.path}`
    throw new FormatError(FORMAT, error.offset, error.what, `${path}${rest}`)
  }
}

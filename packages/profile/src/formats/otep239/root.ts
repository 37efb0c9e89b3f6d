// Detects the root of a file: ProfilesData as in the document, or a bare ProfileContainer or Profile. The latter two are
// wrapped in the missing envelope, so that all are read alike.
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { FIXED64, LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'

export type Root = 'ProfilesData' | 'ProfileContainer' | 'Profile'

/** Decides by the wire types of the fields, including a truncated last one. */
export function rootOf(bytes: Uint8Array): Root {
  const reader = new ProtoReader(bytes)
  let hasOthers = false
  try {
    while (reader.tag()) {
      const { field, wireType } = reader
      // Times of a container. In a profile 2 and 3 are samples and mappings, and 8 is a number.
      if (wireType === FIXED64 && (field === 2 || field === 3)) return 'ProfileContainer'
      if (wireType === LEN && field === 8) return 'ProfileContainer'
      if (field !== 1) hasOthers = true
      reader.skip()
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
  return hasOthers ? 'Profile' : 'ProfilesData'
}

export interface Wrapped {
  readonly bytes: Uint8Array
  /** Number of bytes that were added at the start. */
  readonly shift: number
  /** The start of paths that is not in the file. */
  readonly prefix: string
}

const AROUND: Readonly<Record<Root, readonly number[]>> = {
  ProfilesData: [],
  ProfileContainer: [0x12, 0x12, 0x0a],
  Profile: [0x42, 0x12, 0x12, 0x0a],
}
const CONTAINER_PATH = 'resource_profiles[0].scope_profiles[0].profiles[0]'
const PREFIXES: Readonly<Record<Root, string>> = {
  ProfilesData: '',
  ProfileContainer: CONTAINER_PATH,
  Profile: `${CONTAINER_PATH}.profile`,
}

export function wrapped(bytes: Uint8Array, root: Root): Wrapped {
  if (AROUND[root].length === 0) return { bytes, shift: 0, prefix: '' }
  const writer = new BackwardWriter(bytes.length + 64)
  writer.raw(bytes, 0, bytes.length)
  for (const tag of AROUND[root]) writer.messageHeader(tag, 0)
  const all = writer.finish()
  return { bytes: all, shift: all.length - bytes.length, prefix: PREFIXES[root] }
}

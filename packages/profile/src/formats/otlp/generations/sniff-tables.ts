// Tables of the generations that allow a field of a given number and wire type, for the messages that distinguish
// generations. A set of generations is a byte with one bit each. Tables are indexed by the tag on the wire.
import type { Generation } from './schema.ts'
import { GENERATIONS, messageOf, schemaOf } from './schema.ts'
import { isPackable, wireTypeOf } from './schema-reader.ts'
import { LEN } from '../../../wire/protobuf/proto-reader.ts'

export const V1_3 = 1
export const V1_4 = 2
export const V1_5 = 4
const V1_6 = 8
export const V1_7 = 16
export const V1_8 = 32
export const V1_9 = 64
export const V1_11 = 128
export const ALL = 255

/** Generations whose samples have the same layout. */
export const OLD_SAMPLES = V1_4 | V1_5 | V1_6 | V1_7
export const MIDDLE_SAMPLES = V1_8 | V1_9
export const NEW_SAMPLES = V1_11

export interface SniffTables {
  /** The message in `ScopeProfiles.profiles`. */
  readonly profile: Uint8Array
  readonly sample: Uint8Array
  /** v1.3's Profile, inside its container. */
  readonly containedProfile: Uint8Array
}

/** Lists of numbers are packed by encoders, but readers must accept unpacked ones too. */
let packed: SniffTables | undefined
let unpacked: SniffTables | undefined

export function packedTables(): SniffTables {
  return (packed ??= tablesOf(false))
}

export function unpackedTables(): SniffTables {
  return (unpacked ??= tablesOf(true))
}

function tablesOf(orUnpacked: boolean): SniffTables {
  return {
    profile: tableOf(generation => (generation === 'v1.3' ? 'ProfileContainer' : 'Profile'), orUnpacked),
    sample: tableOf(generation => (generation === 'v1.3' ? undefined : 'Sample'), orUnpacked),
    containedProfile: tableOf(generation => (generation === 'v1.3' ? 'Profile' : undefined), orUnpacked),
  }
}

function tableOf(nameIn: (generation: Generation) => string | undefined, orUnpacked: boolean): Uint8Array {
  // Tags of a single byte suffice, because no field number is above 22.
  const table = new Uint8Array(256)
  for (const [bit, generation] of GENERATIONS.entries()) {
    const name = nameIn(generation)
    if (name === undefined) continue
    for (const field of messageOf(schemaOf(generation), name).fields) {
      const wireType = wireTypeOf(field.scalar)
      if (isPackable(field)) table[(field.number << 3) | LEN] |= 1 << bit
      if (!isPackable(field) || orUnpacked) table[(field.number << 3) | wireType] |= 1 << bit
    }
  }
  return table
}

/** The newest generation of a non-empty set. */
export function newestOf(generations: number): Generation {
  return GENERATIONS[31 - Math.clz32(generations)]
}

export function isSingle(generations: number): boolean {
  return (generations & (generations - 1)) === 0
}

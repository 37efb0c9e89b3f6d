// The same columns over longer bytes that start with the old ones. New rows can then point to the appended bytes, and
// existing byte ranges stay valid.
import { AttributeTable, LinkTable, StringTable } from './dictionary.ts'
import type { Profiles } from './profiles.ts'
import { ProfileTable, ResourceTable, ScopeTable } from './profiles.ts'
import { bytesWithRoom, extendedInPlace } from './spare-room.ts'

/** Byte ranges in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

/** Returns the old bytes followed by `added`. Throws RangeError above 2 GiB. */
export function bytesWith(profiles: Profiles, added: readonly Uint8Array[]): Uint8Array {
  const old = profiles.dictionary.bytes
  let size = old.length
  for (const part of added) size += part.length
  if (size > MAX_BYTES) throw new RangeError(`${size - old.length} more bytes exceed the limit of 2 GiB`)
  const bytes = extendedInPlace(old, size - old.length) ?? copiedWithRoom(old, size)
  let at = old.length
  for (const part of added) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function copiedWithRoom(old: Uint8Array, size: number): Uint8Array {
  const bytes = bytesWithRoom(size)
  bytes.set(old)
  return bytes
}

export function overBytes(profiles: Profiles, bytes: Uint8Array): Profiles {
  const { dictionary, resources, scopes, profiles: table } = profiles
  const { strings, links, attributes } = dictionary
  return {
    ...profiles,
    dictionary: {
      ...dictionary,
      bytes,
      strings: new StringTable(strings.ints, strings.base, strings.length, bytes),
      links: new LinkTable(links.ints, links.base, links.length, bytes),
      attributes: new AttributeTable(attributes.ints, attributes.base, attributes.length, bytes),
    },
    resources: new ResourceTable(resources.ints, resources.base, resources.length, bytes),
    scopes: new ScopeTable(scopes.ints, scopes.base, scopes.length, bytes),
    profiles: new ProfileTable(table.ints, table.base, table.length, bytes, table.attributes),
  }
}

// Puts the bytes that profiles were read from into the profiles, as the data format's original_payload.
import { encodeUtf8 } from '../wire/utf8.ts'
import { AttributeTable, LinkTable, StringTable } from './dictionary.ts'
import type { Profiles } from './profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, ProfileTable, ResourceTable, ScopeTable } from './profiles.ts'

/** Byte ranges in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

/**
 * The same profiles, the first of which carries the payload. Only that one: a file may hold hundreds of profiles, and each
 * would store the file once more. Throws RangeError where there is no profile, or no room below 2 GiB.
 */
export function withOriginalPayload(profiles: Profiles, format: string, payload: Uint8Array): Profiles {
  const { dictionary, resources, scopes, samples, profiles: table } = profiles
  if (table.length === 0) throw new RangeError('there is no profile to carry the payload')
  const name = encodeUtf8(format)
  const old = dictionary.bytes
  const size = old.length + name.length + payload.length
  if (size > MAX_BYTES) throw new RangeError(`the payload of ${payload.length} bytes makes more than 2 GiB in all`)
  const bytes = new Uint8Array(size)
  bytes.set(old)
  bytes.set(name, old.length)
  bytes.set(payload, old.length + name.length)
  // Every other range stays where it was, so only the profiles' rows are copied.
  const rows = table.ints.slice(table.base, table.base + table.length * PROFILE_STRIDE)
  rows[ProfileColumn.formatOffset] = old.length
  rows[ProfileColumn.formatLength] = name.length
  rows[ProfileColumn.payloadOffset] = old.length + name.length
  rows[ProfileColumn.payloadLength] = payload.length
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
    profiles: new ProfileTable(rows, 0, table.length, bytes, table.attributes),
    samples,
  }
}

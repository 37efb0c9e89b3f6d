// Replaces the resources of profiles, for formats that do not store what a profile belongs to.
import type { Resource } from '../columns/any-value.ts'
import { encodeResource } from '../columns/any-value.ts'
import { bytesWith, overBytes } from '../columns/over-bytes.ts'
import type { Profiles } from '../columns/profiles.ts'
import { RESOURCE_STRIDE, ResourceTable } from '../columns/profiles.ts'

/** Throws RangeError if the result exceeds 2 GiB. */
export function withResources(profiles: Profiles, change: (resource: Resource) => Resource): Profiles {
  const { resources, dictionary } = profiles
  const messages = Array.from({ length: resources.length }, (_, i) => encodeResource(change(resources.resource(i))))
  const bytes = bytesWith(profiles, messages)
  const rows = resources.ints.slice(resources.base, resources.base + resources.length * RESOURCE_STRIDE)
  let at = dictionary.bytes.length
  for (const [i, message] of messages.entries()) {
    rows[i * RESOURCE_STRIDE] = at
    rows[i * RESOURCE_STRIDE + 1] = message.length
    at += message.length
  }
  return { ...overBytes(profiles, bytes), resources: new ResourceTable(rows, 0, resources.length, bytes) }
}

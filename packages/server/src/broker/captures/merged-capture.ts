// The profiles of all instances of a capture as one: what their resources have in common stays, the rest is added up.
import type { Profiles } from '@hearth/profile'
import { concat, merge, withResources } from '@hearth/profile'

export function mergedCapture(sets: readonly Profiles[]): Profiles {
  const all = concat(sets)
  const { resources } = all
  const texts = Array.from(
    { length: resources.length },
    (_, i) => new Set(resources.resource(i).attributes.map(textOf)),
  )
  const plain = withResources(all, resource => ({
    ...resource,
    attributes: resource.attributes.filter(attribute => texts.every(set => set.has(textOf(attribute)))),
    entityRefs: [],
  }))
  return merge([plain]).profiles
}

/** Equal for equal ones; numbers of 64 bits have no JSON. */
function textOf(attribute: { readonly key: string; readonly value: unknown }): string {
  return JSON.stringify([attribute.key, typeof attribute.value, attribute.value], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
}

// Merges the profiles of all instances of a capture. Keeps the resource attributes that all have in common and sums the rest.
import type { Profiles } from '@hearth/profile'
import { concat, merge, withResources } from '@hearth/profile'

export function mergedCapture(sets: readonly Profiles[]): Profiles {
  const all = concat(sets)
  const { resources } = all
  const texts = Array.from(
    { length: resources.length },
    (_, i) => new Set(resources.resource(i).attributes.map(attributeKey)),
  )
  const plain = withResources(all, resource => ({
    ...resource,
    attributes: resource.attributes.filter(attribute => texts.every(set => set.has(attributeKey(attribute)))),
    entityRefs: [],
  }))
  return merge([plain]).profiles
}

/** A comparison key. JSON has no bigint, so those become text. */
function attributeKey(attribute: { readonly key: string; readonly value: unknown }): string {
  return JSON.stringify([attribute.key, typeof attribute.value, attribute.value], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
}

// The attribute keys of samples, profiles, scopes and resources. A tree can be rooted by them.
import type { AttributeIndex, Profiles } from '@hearth/profile'

/** Sorted by name. */
export function attributeKeys(profiles: Profiles, rows: readonly number[]): string[] {
  const { samples, profiles: table, dictionary, resources, scopes } = profiles
  const used = new Uint8Array(dictionary.attributes.length)
  for (const row of rows) {
    for (const attribute of table.attributesOf(row)) used[attribute] = 1
    const from = samples.attributesFrom(table.samplesFrom(row))
    const to = table.samplesTo(row) === table.samplesFrom(row) ? from : samples.attributesTo(table.samplesTo(row) - 1)
    for (let k = from; k < to; k++) used[samples.attributes.at(k)] = 1
  }
  const keys = new Set<string>()
  for (let i = 1; i < used.length; i++) {
    if (used[i] === 1) keys.add(dictionary.strings.text(dictionary.attributes.key(i as AttributeIndex)))
  }
  for (let r = 0; r < resources.length; r++) for (const { key } of resources.resource(r).attributes) keys.add(key)
  for (let s = 0; s < scopes.length; s++) for (const { key } of scopes.scope(s).attributes) keys.add(key)
  return [...keys].sort()
}

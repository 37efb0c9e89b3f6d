// The attributes that the profiles of a selection have, from the catalog.
import { ValueKind } from '@hearth/profile'
import type { AttributeKey } from '../select/attribute-key.ts'
import type { Selection } from '../select/selection.ts'
import type { Level } from '../selector/selector.ts'
import type { HeldAttributes, HeldScope } from './held-attributes.ts'
import { SINGLE_VALUES } from './held-attributes.ts'
import { presentProfiles } from './present-profiles.ts'

export type LevelAttributes = readonly (HeldAttributes | HeldScope)[]

/** Undefined if only the store knows it. */
export async function attributesByLevel(
  selection: Selection,
): Promise<ReadonlyMap<Level, LevelAttributes> | undefined> {
  const present = await presentProfiles(selection, { ofSamples: true })
  const catalog = present && (await selection.running.catalog())
  if (present === undefined || catalog === undefined || !catalog.hasSampleSets) return undefined
  const ids = { resource: new Set<bigint>(), scope: new Set<bigint>(), profile: new Set<bigint>() }
  const sampleSets = new Set<bigint>()
  const forms = new Set(present.map(({ form }) => form))
  for (const { row } of present) {
    ids.resource.add(row.resource)
    ids.scope.add(row.scope)
  }
  for (const { attributes, sampleSets: own = [] } of forms) {
    ids.profile.add(attributes)
    for (const id of own) sampleSets.add(id)
  }
  const held = (wanted: ReadonlySet<bigint>, from: ReadonlyMap<bigint, HeldAttributes>): LevelAttributes =>
    [...wanted].map(id => from.get(id)).filter(attributes => attributes !== undefined)
  return new Map([
    ['resource', held(ids.resource, catalog.resources)],
    ['scope', held(ids.scope, catalog.scopes)],
    ['profile', held(ids.profile, catalog.sets)],
    ['sample', held(sampleSets, catalog.sets)],
  ])
}

export function keysIn(all: LevelAttributes, scalar: boolean): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { keys, kinds } of all)
    for (let k = 0; k < keys.length; k++) if (!scalar || SINGLE_VALUES.has(kinds[k])) found.add(keys[k])
  return found
}

export function valuesIn(all: LevelAttributes, { key, builtIn }: AttributeKey): [kind: number, bytes: Uint8Array][] {
  const found: [kind: number, bytes: Uint8Array][] = []
  for (const attributes of all) {
    if (builtIn !== undefined) {
      const text = 'name' in attributes ? (builtIn === 'scope.name' ? attributes.name : attributes.version) : ''
      if (text !== '') found.push([ValueKind.string, Buffer.from(text)])
      continue
    }
    const at = attributes.keys.indexOf(key)
    if (at >= 0 && attributes.kinds[at] !== ValueKind.empty) found.push([attributes.kinds[at], attributes.values[at]])
  }
  return found
}

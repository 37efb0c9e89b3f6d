// Copies selected profiles of a payload into a payload of their own, with their resources and scopes and the dictionary
// rows they refer to.
import { ProfilesBuilder } from '../build/builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { Profiles } from '../columns/profiles.ts'

/** `rows` are rows of the profile table, each at most once. The profiles keep the order of the payload. */
export function pickProfiles(profiles: Profiles, rows: readonly number[]): Profiles {
  return rows.length === profiles.profiles.length ? profiles : copied(profiles, new Set(rows))
}

export interface FilledContainers {
  readonly profiles: Profiles
  /** The number of resources and scopes that were dropped. */
  readonly dropped: number
}

/** Drops resources and scopes without profiles, unless there are no profiles at all. */
export function withoutEmptyContainers(profiles: Profiles): FilledContainers {
  const { resources, scopes, profiles: table } = profiles
  let dropped = 0
  for (let scope = 0; scope < scopes.length; scope++) if (scopes.from(scope) === scopes.to(scope)) dropped++
  for (let resource = 0; resource < resources.length; resource++) {
    const [from, to] = [resources.from(resource), resources.to(resource)]
    if (from === to || scopes.from(from) === scopes.to(to - 1)) dropped++
  }
  if (dropped === 0 || table.length === 0) return { profiles, dropped: 0 }
  const all = new Set(Array.from({ length: table.length }, (_, i) => i))
  return { profiles: copied(profiles, all), dropped }
}

function copied(profiles: Profiles, wanted: ReadonlySet<number>): Profiles {
  const { resources, scopes, unknown } = profiles
  const builder = new ProfilesBuilder()
  const transfer = new DictionaryTransfer(profiles.dictionary, builder.dictionary)
  builder.unknownFields('self', unknown?.self?.get(0))
  for (let resource = 0; resource < resources.length; resource++) {
    let resourceOpen = false
    for (let scope = resources.from(resource); scope < resources.to(resource); scope++) {
      let scopeOpen = false
      for (let i = scopes.from(scope); i < scopes.to(scope); i++) {
        if (!wanted.has(i)) continue
        if (!resourceOpen) {
          builder.resource(resources.resource(resource), resources.schemaUrl(resource))
          builder.unknownFields('resources', unknown?.resources?.get(resource))
        }
        if (!scopeOpen) {
          builder.scope(scopes.scope(scope), scopes.schemaUrl(scope))
          builder.unknownFields('scopes', unknown?.scopes?.get(scope))
        }
        resourceOpen = scopeOpen = true
        carryProfile(profiles, i, builder, transfer)
      }
    }
  }
  return builder.build()
}

function carryProfile(profiles: Profiles, i: number, builder: ProfilesBuilder, transfer: DictionaryTransfer): void {
  const { profiles: table, samples, dictionary } = profiles
  const text = dictionary.strings
  builder.profile({
    type: text.text(table.type(i)),
    unit: text.text(table.unit(i)),
    periodType: text.text(table.periodType(i)),
    periodUnit: text.text(table.periodUnit(i)),
    period: table.period(i),
    timeUnixNano: table.time(i),
    durationNano: table.duration(i),
    id: table.id(i),
    droppedAttributesCount: table.droppedAttributes(i),
    originalPayloadFormat: table.originalPayloadFormat(i),
    originalPayload: table.originalPayload(i),
    attributes: table.attributesOf(i).map(row => transfer.attribute(row)),
  })
  builder.unknownFields('profiles', profiles.unknown?.profiles?.get(i))
  const values = samples.values.signed()
  const timestamps = samples.timestamps.unsigned()
  for (let s = table.samplesFrom(i); s < table.samplesTo(i); s++) {
    builder.sample({
      stack: transfer.stack(samples.stack(s)),
      link: transfer.link(samples.link(s)),
      attributes: samples.attributesOf(s).map(row => transfer.attribute(row)),
      values: values.subarray(samples.valuesFrom(s), samples.valuesTo(s)),
      timestamps: timestamps.subarray(samples.timestampsFrom(s), samples.timestampsTo(s)),
    })
    builder.unknownFields('samples', profiles.unknown?.samples?.get(s))
  }
}

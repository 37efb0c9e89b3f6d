// The numbers of the parts that the store's unknown fields have, which are those of the model and of messages that the store
// keeps in the same row:
//
//   profiles         0 to 2 as in the model, then sample k and the profile's link k in turn: 3 + 2 k, 4 + 2 k
//   resources        0 ResourceProfiles, 1 Resource, 2 attributes by place, 3 entity references by place; scopes likewise
//   attribute_sets   the attributes by place
//   requests         0 ProfilesData, 1 ProfilesDictionary, then row 0 of the dictionary's tables
//
// A part that stands for a row of the model has its parts encoded in it.
import type {
  AttributeIndex,
  Dictionary,
  EntityRef,
  KeyValue,
  Profiles,
  ProfilesBuilder,
  Resource,
  Scope,
  UnknownTable,
} from '@hearth/profile'
import { NESTED_PART, OWN_PART, ValueKind, decodeParts, encodeParts, hasNestedUnknown, partOf } from '@hearth/profile'

const NO_BYTES = new Uint8Array(0)

export const samplePart = (sample: number): number => 3 + 2 * sample
export const linkPart = (link: number): number => 4 + 2 * link
/** The first part that is not the profile's own. */
export const FIRST_SAMPLE_PART = 3

const ZERO_ROWS: readonly UnknownTable[] = ['functions', 'mappings', 'locations', 'stacks', 'links', 'attributes']
const FIRST_ZERO_ROW = 2

/** The unknown fields that belong to no row of a request. */
export function unknownOfRequest({ unknown, dictionary }: Profiles): Uint8Array {
  if (unknown === undefined && dictionary.unknown === undefined) return NO_BYTES
  const own = [unknown?.self, dictionary.unknown?.self].map(rows => rows?.get(0) ?? NO_BYTES)
  const zeroRows = ZERO_ROWS.map(table => dictionary.unknown?.[table]?.get(0) ?? NO_BYTES)
  return encodeParts([...own, ...zeroRows].entries())
}

/** Adds them to the payload that is being built. */
export function addUnknownOfRequest(builder: ProfilesBuilder, stored: Uint8Array): void {
  for (const [part, encoded] of decodeParts(stored)) {
    if (part === 0) builder.unknownFields('self', encoded)
    else if (part === 1) builder.dictionary.unknown.append('self', 0, encoded)
    else builder.dictionary.unknown.append(ZERO_ROWS[part - FIRST_ZERO_ROW], 0, encoded)
  }
}

/** The parts of an attribute. The store's text of a nested value has no place for unknown fields, so its bytes are a part. */
export function unknownOfAttribute({ attributes, unknown }: Dictionary, row: AttributeIndex): Uint8Array | undefined {
  const own = unknown?.attributes?.get(row)
  const kind = attributes.kind(row)
  if (kind !== ValueKind.array && kind !== ValueKind.keyValues) return own
  const [a, b] = [attributes.a(row), attributes.b(row)]
  if (!hasNestedUnknown(attributes.bytes, kind, a, b)) return own
  return encodeParts([...decodeParts(own ?? NO_BYTES), [NESTED_PART, attributes.bytes.subarray(a, a + b)]])
}

/** The bytes of a nested value among the parts of an attribute, and the other parts. */
export function withoutNested(parts: Uint8Array | undefined): {
  readonly nested: Uint8Array | undefined
  readonly unknown: Uint8Array | undefined
} {
  const found = decodeParts(parts ?? NO_BYTES)
  const nested = found.get(NESTED_PART)
  if (nested === undefined) return { nested, unknown: parts }
  found.delete(NESTED_PART)
  return { nested, unknown: found.size === 0 ? undefined : encodeParts(found) }
}

/** `container` has the fields of ResourceProfiles or ScopeProfiles, encoded as parts. */
export function unknownOfContainer(message: Resource | Scope, container: Uint8Array | undefined): Uint8Array {
  const byPlace = (list: readonly { readonly unknown?: Uint8Array }[]): Uint8Array =>
    list.every(({ unknown }) => unknown === undefined)
      ? NO_BYTES
      : encodeParts(list.map(({ unknown }) => unknown ?? NO_BYTES).entries())
  const entityRefs = 'entityRefs' in message ? byPlace(message.entityRefs) : NO_BYTES
  const parts = [partOf(container, OWN_PART), message.unknown ?? NO_BYTES, byPlace(message.attributes), entityRefs]
  return encodeParts(parts.entries())
}

/** The fields of ResourceProfiles or ScopeProfiles, encoded as parts. */
export function containerPart(stored: Uint8Array): Uint8Array | undefined {
  const own = partOf(stored, 0)
  return own.length === 0 ? undefined : encodeParts([[OWN_PART, own]])
}

/** The fields of the Resource or InstrumentationScope itself. */
export function messagePart(stored: Uint8Array): { readonly unknown?: Uint8Array } {
  const own = partOf(stored, 1)
  return own.length === 0 ? {} : { unknown: own }
}

export function withAttributeParts(attributes: readonly KeyValue[], stored: Uint8Array): readonly KeyValue[] {
  return withParts(attributes, partOf(stored, 2))
}

export function withEntityRefParts(entityRefs: readonly EntityRef[], stored: Uint8Array): readonly EntityRef[] {
  return withParts(entityRefs, partOf(stored, 3))
}

function withParts<Entry extends object>(entries: readonly Entry[], byPlace: Uint8Array): readonly Entry[] {
  if (byPlace.length === 0) return entries
  const parts = decodeParts(byPlace)
  return entries.map((entry, place) => ({ ...entry, ...(parts.has(place) ? { unknown: parts.get(place) } : {}) }))
}

// Converts between attributes and the pprof fields that former drafts of the data format still had. The attribute names are
// in model/attributes/semantic-conventions.ts.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Dictionary, Pool } from '../../model/columns/dictionary.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { AttributeOrder } from './attribute-order.ts'
import { writePacked } from './write-fields.ts'

/** OTEP 0239's BuildIdKind. */
export const BUILD_ID_LINKER = 0
export const BUILD_ID_BINARY_HASH = 1

/** In the order of the corresponding fields. */
export const MAPPING_FLAGS = [
  ATTRIBUTES.pprofMappingHasFunctions,
  ATTRIBUTES.pprofMappingHasFilenames,
  ATTRIBUTES.pprofMappingHasLineNumbers,
  ATTRIBUTES.pprofMappingHasInlineFrames,
] as const

const HTLHASH = /^[0-9a-f]{32}$/i

/**
 * A linker's id is the GNU build id in practice. The hash of a binary can be any hash: 32 hex digits are read as htlhash.
 * Everything else gets the former name of that attribute, which does not define the hash.
 */
export function buildIdAttribute(builder: ProfilesBuilder, buildId: string, kind: number): AttributeIndex[] {
  if (buildId === '') return []
  if (kind !== BUILD_ID_BINARY_HASH) return [builder.attribute(ATTRIBUTES.buildIdGnu, buildId)]
  const key = HTLHASH.test(buildId) ? ATTRIBUTES.buildIdHtlhash : ATTRIBUTES.buildIdProfiling
  return [builder.attribute(key, buildId)]
}

/** The field that an attribute corresponds to, if the field can hold its value. */
export type FieldRole = 'gnu' | 'hash' | 'folded' | 'frame-type' | 'stacktrace-id' | 'temporality' | 0 | 1 | 2 | 3

const FLAGS: ReadonlyMap<string, FieldRole> = new Map<string, FieldRole>([
  ...MAPPING_FLAGS.map((key, flag) => [key, flag as FieldRole] as const),
  [ATTRIBUTES.pprofLocationIsFolded, 'folded'],
])
const TEXTS: ReadonlyMap<string, FieldRole> = new Map<string, FieldRole>([
  [ATTRIBUTES.buildIdGnu, 'gnu'],
  [ATTRIBUTES.buildIdHtlhash, 'hash'],
  [ATTRIBUTES.buildIdProfiling, 'hash'],
  [ATTRIBUTES.frameType, 'frame-type'],
  [ATTRIBUTES.stacktraceId, 'stacktrace-id'],
  [ATTRIBUTES.aggregationTemporality, 'temporality'],
])

/** Splits the attributes of a row into fields and remaining attributes. */
export class FieldAttributes {
  /** Set by `split`. */
  readonly texts = new Map<FieldRole, string>()
  readonly flags = new Set<FieldRole>()
  /** The first `restLength` entries are the remaining attributes, ordered by content. */
  rest = new Int32Array(16)
  restLength = 0
  readonly #flagRows: AttributeIndex[] = []
  readonly #dictionary: Dictionary
  readonly #roles: readonly FieldRole[]
  /** A cache of the role of each attribute. */
  readonly #known = new Map<number, FieldRole | undefined>()

  readonly #order: AttributeOrder

  /** `roles` are the fields that the written messages have. */
  constructor(dictionary: Dictionary, roles: readonly FieldRole[], order = new AttributeOrder(dictionary)) {
    this.#dictionary = dictionary
    this.#roles = roles
    this.#order = order
  }

  split(list: Pool<AttributeIndex>, from: number, to: number): this {
    this.texts.clear()
    this.flags.clear()
    this.#flagRows.length = 0
    this.restLength = 0
    if (to - from > this.rest.length) this.rest = new Int32Array(2 * (to - from))
    // Sorted by content, so that the choice between two candidates for a field is always the same.
    for (let k = from; k < to; k++) this.rest[k - from] = list.at(k)
    this.#order.sort(this.rest, 0, to - from)
    for (let k = 0; k < to - from; k++) {
      const attribute = this.rest[k] as AttributeIndex
      const role = this.#roleOf(attribute)
      if (role === undefined || !this.#assign(role, attribute)) this.rest[this.restLength++] = attribute
    }
    return this
  }

  /** Moves the flags back to the remaining attributes. */
  keepFlags(): void {
    for (const attribute of this.#flagRows) this.rest[this.restLength++] = attribute
    this.#order.sort(this.rest, 0, this.restLength)
    this.flags.clear()
  }

  /** Writes the remaining attributes as a list of their row numbers in the file's table. */
  writeRest(out: BackwardWriter, tag: number, table: { of(row: AttributeIndex): number }): void {
    const numbers = new Int32Array(this.restLength)
    for (let k = 0; k < numbers.length; k++) numbers[k] = table.of(this.rest[k] as AttributeIndex)
    writePacked(out, tag, numbers, 0, numbers.length)
  }

  /** The build id of a mapping and its kind. Call after `split`. */
  buildId(): { readonly text: string; readonly kind: number } {
    const gnu = this.texts.get('gnu')
    if (gnu !== undefined) return { text: gnu, kind: BUILD_ID_LINKER }
    const hash = this.texts.get('hash')
    return hash === undefined ? { text: '', kind: BUILD_ID_LINKER } : { text: hash, kind: BUILD_ID_BINARY_HASH }
  }

  /** Returns false if another attribute already has this field. */
  #assign(role: FieldRole, attribute: AttributeIndex): boolean {
    if (typeof role === 'number' || role === 'folded') {
      if (this.flags.has(role)) return false
      this.flags.add(role)
      this.#flagRows.push(attribute)
      return true
    }
    // All kinds of build id share one field.
    const isUsed = role === 'gnu' ? this.texts.has('hash') : role === 'hash' && this.texts.has('gnu')
    if (isUsed || this.texts.has(role)) return false
    this.texts.set(role, this.#text(attribute))
    return true
  }

  #roleOf(attribute: AttributeIndex): FieldRole | undefined {
    if (this.#known.has(attribute)) return this.#known.get(attribute)
    const role = this.#findRole(attribute)
    const known = role !== undefined && this.#roles.includes(role) ? role : undefined
    this.#known.set(attribute, known)
    return known
  }

  #findRole(attribute: AttributeIndex): FieldRole | undefined {
    const { attributes, strings } = this.#dictionary
    if (attributes.unit(attribute) !== 0) return undefined
    const kind = attributes.kind(attribute)
    const key = strings.text(attributes.key(attribute))
    if (kind === ValueKind.bool) return attributes.a(attribute) === 0 ? undefined : FLAGS.get(key)
    // An empty string would be read as an unset field.
    if (kind !== ValueKind.string || attributes.b(attribute) === 0) return undefined
    // The reader must give the hash the same name again.
    const isHtlhash = HTLHASH.test(this.#text(attribute))
    if (key === ATTRIBUTES.buildIdHtlhash && !isHtlhash) return undefined
    if (key === ATTRIBUTES.buildIdProfiling && isHtlhash) return undefined
    return TEXTS.get(key)
  }

  #text(attribute: AttributeIndex): string {
    const { attributes } = this.#dictionary
    const offset = attributes.a(attribute)
    return decodeUtf8(attributes.bytes, offset, offset + attributes.b(attribute))
  }
}

// Writes and reads resources, scopes and the request row, which all signals have.
import type { EntityRef, KeyValue, Resource, Scope } from '@hearth/profile'
import { bytesOfValue, kindOfValue, pushAttributes, readBlockAttributes } from './attribute-text.ts'
import type { GroupRows, RowContext } from './group-rows.ts'
import type { Signal } from './keeper.ts'
import type { Block } from './native/block.ts'
import { resources, scopes } from './schema/symbol-tables.ts'
import { requests } from './schema/signal-tables.ts'
import type { SymbolLedger } from './symbol-ledger.ts'
import type { SymbolId } from './symbols/content-hash.ts'
import { HASH_WORDS, HashInput, Seed } from './symbols/content-hash.ts'
import { SymbolRows } from './symbols/symbol-rows.ts'
import {
  containerPart,
  messagePart,
  unknownOfContainer,
  withAttributeParts,
  withEntityRefParts,
} from './unknown-parts.ts'

const NOTHING = new Uint8Array(0)

export interface WrittenResource extends SymbolId {
  /** The service.name, or else the name of the executable, or empty. */
  readonly service: Uint8Array
}

/** The position of a scope in its request. */
export interface ScopePosition {
  readonly resourceIndex: number
  readonly scopeIndex: number
  readonly resource: WrittenResource
  readonly scope: SymbolId
}

/** Writes a request's resources and scopes. Empty ones have the id 0 and no row. */
export class ContainerWriter {
  readonly #group: GroupRows
  readonly #rows: SymbolRows
  readonly #words = new Int32Array(HASH_WORDS)

  constructor(group: GroupRows, context: RowContext, ledger: SymbolLedger) {
    this.#group = group
    this.#rows = new SymbolRows(context, ledger)
  }

  /** `container` has the unknown fields of ResourceProfiles. */
  resource(resource: Resource, schemaUrl: string, container?: Uint8Array): WrittenResource {
    const words = this.#words
    const service = serviceOf(resource)
    const unknown = unknownOfContainer(resource, container)
    if (!hashResource(resource, schemaUrl, unknown, words)) return { lo: 0, hi: 0, service }
    const { columns } = this.#group.batch(resources)
    if (this.#rows.start('resources', columns, words)) {
      pushAttributes(columns, resource.attributes)
      columns.dropped_attributes.push(resource.droppedAttributesCount)
      columns.schema_url.push(schemaUrl)
      columns.entity_refs.push(entityRefsText(resource))
      columns.service.pushBytes(service)
      columns.unknown_fields.pushBytes(unknown)
    }
    return { lo: words[0], hi: words[1], service }
  }

  scope(scope: Scope, schemaUrl: string, container?: Uint8Array): SymbolId {
    const words = this.#words
    const unknown = unknownOfContainer(scope, container)
    if (!hashScope(scope, schemaUrl, unknown, words)) return { lo: 0, hi: 0 }
    const { columns } = this.#group.batch(scopes)
    if (this.#rows.start('scopes', columns, words)) {
      pushAttributes(columns, scope.attributes)
      columns.dropped_attributes.push(scope.droppedAttributesCount)
      columns.name.push(scope.name)
      columns.version.push(scope.version)
      columns.schema_url.push(schemaUrl)
      columns.unknown_fields.pushBytes(unknown)
    }
    return { lo: words[0], hi: words[1] }
  }
}

/** The eBPF profiler knows the executable and no service, so that the executable stands in for it. */
export const SERVICE_KEYS = ['service.name', 'process.executable.name'] as const

function serviceOf({ attributes }: Resource): Uint8Array {
  for (const name of SERVICE_KEYS)
    for (const { key, value } of attributes) if (key === name && value !== '') return bytesOfValue(value)
  return NOTHING
}

const input = new HashInput()

function hashAttributes(attributes: readonly KeyValue[]): void {
  input.push(attributes.length)
  for (const { key, value } of attributes) {
    input.string(key)
    input.push(kindOfValue(value))
    if (typeof value === 'string') input.string(value)
    else input.text(bytesOfValue(value))
  }
}

const ATTRIBUTE_WORDS = 2 * HASH_WORDS + 1

/** Hashes a resource, including the order of its attributes. Returns false for an empty resource, whose id is 0. */
export function hashResource(resource: Resource, schemaUrl: string, unknown: Uint8Array, words: Int32Array): boolean {
  const { attributes, droppedAttributesCount, entityRefs } = resource
  const counts = attributes.length + droppedAttributesCount + entityRefs.length
  if (counts + schemaUrl.length + unknown.length === 0) return false
  input.start(2 + attributes.length * ATTRIBUTE_WORDS + 3 * HASH_WORDS)
  hashAttributes(attributes)
  input.push(droppedAttributesCount)
  input.string(schemaUrl)
  input.string(entityRefsText(resource))
  if (unknown.length > 0) input.text(unknown)
  input.hash(Seed.resources, words)
  return true
}

/** Hashes a scope, including the order of its attributes. Returns false for an empty scope, whose id is 0. */
export function hashScope(scope: Scope, schemaUrl: string, unknown: Uint8Array, words: Int32Array): boolean {
  const { name, version, attributes, droppedAttributesCount } = scope
  const texts = name.length + version.length + schemaUrl.length
  if (attributes.length + droppedAttributesCount + texts + unknown.length === 0) return false
  input.start(2 + attributes.length * ATTRIBUTE_WORDS + 4 * HASH_WORDS)
  hashAttributes(attributes)
  input.push(droppedAttributesCount)
  for (const text of [name, version, schemaUrl]) input.string(text)
  if (unknown.length > 0) input.text(unknown)
  input.hash(Seed.scopes, words)
  return true
}

/** OTLP/JSON, or empty if there are none. */
function entityRefsText({ entityRefs }: Resource): string {
  if (entityRefs.length === 0) return ''
  return JSON.stringify(
    entityRefs.map(({ schemaUrl, type, idKeys, descriptionKeys }) => ({ schemaUrl, type, idKeys, descriptionKeys })),
  )
}

function entityRefsOf(text: string): readonly EntityRef[] {
  return text === '' ? [] : (JSON.parse(text) as EntityRef[])
}

export interface StoredResource {
  readonly resource: Resource
  readonly schemaUrl: string
  /** Unknown fields of ResourceProfiles. */
  readonly unknown?: Uint8Array | undefined
}

export interface StoredScope {
  readonly scope: Scope
  readonly schemaUrl: string
  /** Unknown fields of ScopeProfiles. */
  readonly unknown?: Uint8Array | undefined
}

export const EMPTY_RESOURCE: StoredResource = {
  resource: { attributes: [], droppedAttributesCount: 0, entityRefs: [] },
  schemaUrl: '',
}

export const EMPTY_SCOPE: StoredScope = {
  scope: { name: '', version: '', attributes: [], droppedAttributesCount: 0 },
  schemaUrl: '',
}

/** A row of `resources`. */
export function readResource(block: Block, row: number): StoredResource {
  const unknown = block.column('unknown_fields').bytes(row)
  return {
    resource: {
      attributes: withAttributeParts(readBlockAttributes(block, row), unknown),
      droppedAttributesCount: block.column('dropped_attributes').number(row),
      entityRefs: withEntityRefParts(entityRefsOf(block.column('entity_refs').text(row)), unknown),
      ...messagePart(unknown),
    },
    schemaUrl: block.column('schema_url').text(row),
    unknown: containerPart(unknown),
  }
}

/** A row of `scopes`. */
export function readScope(block: Block, row: number): StoredScope {
  const unknown = block.column('unknown_fields').bytes(row)
  return {
    scope: {
      name: block.column('name').text(row),
      version: block.column('version').text(row),
      attributes: withAttributeParts(readBlockAttributes(block, row), unknown),
      droppedAttributesCount: block.column('dropped_attributes').number(row),
      ...messagePart(unknown),
    },
    schemaUrl: block.column('schema_url').text(row),
    unknown: containerPart(unknown),
  }
}

/** The columns of a request's row besides its context. */
export interface RequestRow {
  readonly signal: Signal
  /** The OTLP version of profiles. Empty for other signals. */
  readonly generation: string
  /** The sender's User-Agent. */
  readonly client: string
  readonly bytes: number
  readonly accepted: number
  readonly rejected: number
  /** In order, including empty ones. */
  readonly resources: readonly SymbolId[]
  readonly scopes: readonly SymbolId[]
  /** The index of each scope's resource. */
  readonly scopeResources: readonly number[]
  /** See unknown-parts.ts. Absent if there are none. */
  readonly unknownFields?: Uint8Array
}

export function writeRequest(rows: GroupRows, context: RowContext, row: RequestRow): void {
  const { columns } = rows.batch(requests)
  columns.tenant.push(context.tenant)
  columns.day.push(context.day)
  columns.received.push(context.received)
  columns.request.push(context.request)
  columns.signal.push(row.signal)
  columns.generation.push(row.generation)
  columns.client.push(row.client)
  columns.bytes.push(BigInt(row.bytes))
  columns.accepted.push(row.accepted)
  columns.rejected.push(row.rejected)
  for (const { lo, hi } of row.resources) columns.resources.values.pushHalves(lo, hi)
  columns.resources.endRow()
  for (const { lo, hi } of row.scopes) columns.scopes.values.pushHalves(lo, hi)
  columns.scopes.endRow()
  for (const resource of row.scopeResources) columns.scope_resources.values.push(resource)
  columns.scope_resources.endRow()
  columns.unknown_fields.pushBytes(row.unknownFields ?? NOTHING)
}

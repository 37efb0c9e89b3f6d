// Writes the columns that rows of spans, logs and data points share: origin, position in the request, and nested attributes.
import type { KeyValue, Resource, Scope } from '@hearth/profile'
import { OWN_PART, encodeParts } from '@hearth/profile'
import type { Message, WithUnknown } from '@hearth/signals'
import { encodeWithMembers } from '@hearth/signals'
import { pushAttributeValues } from '../attribute-text.ts'
import type { ScopePosition, WrittenResource } from '../containers.ts'
import { ContainerWriter, EMPTY_RESOURCE, EMPTY_SCOPE } from '../containers.ts'
import type { GroupRows, RowContext } from '../group-rows.ts'
import type { ArrayColumn, StringColumn, UInt8Column } from '../native/column.ts'
import type { ColumnsOf } from '../native/table.ts'
import type { origin } from '../schema/shared-columns.ts'
import type { SymbolLedger } from '../symbol-ledger.ts'
import type { SymbolId } from '../symbols/content-hash.ts'

/** The data that the request's row needs. */
export interface WrittenItems {
  readonly resources: readonly SymbolId[]
  readonly scopes: readonly SymbolId[]
  /** The index of each scope's resource. */
  readonly scopeResources: readonly number[]
  readonly items: number
  /** The unknown fields of the request itself. See unknown-parts.ts. */
  readonly unknownFields?: Uint8Array
}

interface ResourceItems extends WithUnknown {
  readonly resource: Resource | undefined
  readonly schemaUrl: string
}

interface ScopeItems extends WithUnknown {
  readonly scope: Scope | undefined
  readonly schemaUrl: string
}

/** Writes the rows of all resources and scopes. Calls `write` for the items of each scope, which returns their number. */
export function writeContainers<R extends ResourceItems, S extends ScopeItems>(
  { rows, context, ledger }: ItemWriting,
  request: WithUnknown,
  all: readonly R[],
  scopesOf: (resource: R) => readonly S[],
  write: (scope: S, position: ScopePosition) => number,
): WrittenItems {
  const containers = new ContainerWriter(rows, context, ledger)
  const resources: WrittenResource[] = []
  const scopes: SymbolId[] = []
  const scopeResources: number[] = []
  let items = 0
  for (const [resourceIndex, item] of all.entries()) {
    const resource = containers.resource(item.resource ?? EMPTY_RESOURCE.resource, item.schemaUrl, ownPart(item))
    resources.push(resource)
    for (const scopeItem of scopesOf(item)) {
      const scope = containers.scope(scopeItem.scope ?? EMPTY_SCOPE.scope, scopeItem.schemaUrl, ownPart(scopeItem))
      items += write(scopeItem, { resourceIndex, scopeIndex: scopes.length, resource, scope })
      scopes.push(scope)
      scopeResources.push(resourceIndex)
    }
  }
  const unknownFields = ownPart(request)
  return { resources, scopes, scopeResources, items, ...(unknownFields === undefined ? {} : { unknownFields }) }
}

/** The unknown fields of a message itself, encoded as parts. */
function ownPart({ unknown }: WithUnknown): Uint8Array | undefined {
  return unknown === undefined ? undefined : encodeParts([[OWN_PART, unknown]])
}

const NOTHING = new Uint8Array(0)

/** Pushes the encoded message of an item that has unknown fields, and nothing for the others. */
export function pushOriginal<T extends WithUnknown>(column: StringColumn, message: Message<T>, item: T): void {
  column.pushBytes(item.unknown === undefined ? NOTHING : encodeWithMembers(message, item))
}

/** The destination of rows and their request. */
export interface ItemWriting {
  readonly rows: GroupRows
  readonly context: RowContext
  readonly ledger: SymbolLedger
}

export function pushOrigin(
  columns: ColumnsOf<typeof origin>,
  context: RowContext,
  position: ScopePosition,
  itemIndex: number,
): void {
  columns.tenant.push(context.tenant)
  columns.day.push(context.day)
  columns.received.push(context.received)
  columns.request.push(context.request)
  columns.resource_index.push(position.resourceIndex)
  columns.scope_index.push(position.scopeIndex)
  columns.item_index.push(itemIndex)
  columns.resource.pushHalves(position.resource.lo, position.resource.hi)
  columns.scope.pushHalves(position.scope.lo, position.scope.hi)
  columns.service.pushBytes(position.resource.service)
}

/** The largest time that the engine's type holds, in 2262. */
const LAST_TIME = 2n ** 63n - 1n

/** Returns the time for queries: the first of the given times that is valid, or the time of receipt. */
export function queryTime(context: RowContext, ...times: readonly bigint[]): bigint {
  return times.find(time => time > 0n && time <= LAST_TIME) ?? context.received
}

interface NestedAttributeColumns {
  readonly keys: ArrayColumn<ArrayColumn<StringColumn>>
  readonly kinds: ArrayColumn<ArrayColumn<UInt8Column>>
  readonly values: ArrayColumn<ArrayColumn<StringColumn>>
}

/** Pushes the attributes of each entry of a list, such as the events of a span. */
export function pushNestedAttributes(
  { keys, kinds, values }: NestedAttributeColumns,
  lists: readonly (readonly KeyValue[])[],
): void {
  for (const attributes of lists) {
    pushAttributeValues(keys.values.values, kinds.values.values, values.values.values, attributes)
    keys.values.endRow()
    kinds.values.endRow()
    values.values.endRow()
  }
  keys.endRow()
  kinds.endRow()
  values.endRow()
}

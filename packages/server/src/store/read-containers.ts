// Loads the resources and scopes that rows refer to.
import type { StoredResource, StoredScope } from './containers.ts'
import { EMPTY_RESOURCE, EMPTY_SCOPE, hashResource, hashScope, readResource, readScope } from './containers.ts'
import type { Block } from './native/block.ts'
import { resources, scopes } from './schema/symbol-tables.ts'
import type { SymbolSource } from './symbols/symbol-table.ts'
import { SymbolTable, pairsOf } from './symbols/symbol-table.ts'

export class ContainerTables {
  readonly resources: SymbolTable
  readonly scopes: SymbolTable

  constructor(source: SymbolSource) {
    this.resources = new SymbolTable(source, resources, (block, row, words) => {
      const { resource, schemaUrl } = readResource(block, row)
      return hashResource(resource, schemaUrl, block.column('unknown_fields').bytes(row), words)
    })
    this.scopes = new SymbolTable(source, scopes, (block, row, words) => {
      const { scope, schemaUrl } = readScope(block, row)
      return hashScope(scope, schemaUrl, block.column('unknown_fields').bytes(row), words)
    })
  }

  async load(): Promise<void> {
    await Promise.all([this.resources.load(), this.scopes.load()])
  }

  /** By the number of its id. Call `load` first. */
  resource(number: number): StoredResource {
    const block = this.resources.block(number)
    return block === undefined ? EMPTY_RESOURCE : readResource(block, this.resources.row(number))
  }

  scope(number: number): StoredScope {
    const block = this.scopes.block(number)
    return block === undefined ? EMPTY_SCOPE : readScope(block, this.scopes.row(number))
  }
}

/** Adds the ids of an array column in the first row and returns their numbers. */
export function addAll(block: Block, name: string, table: SymbolTable): number[] {
  const column = block.column(name)
  const ids = pairsOf(column.values, column.from(0), column.to(0))
  return Array.from({ length: ids.length / 2 }, (_, k) => table.ids.add(ids[2 * k], ids[2 * k + 1]))
}

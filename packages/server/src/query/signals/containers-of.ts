// The resources and scopes of the spans, logs and data points in a response, each once.
import type { AnyValue, KeyValue } from '@hearth/profile'
import { SERVICE_KEYS } from '../../store/containers.ts'
import { ContainerTables } from '../../store/read-containers.ts'
import type { ColumnValues } from '../../store/native/column-values.ts'
import type { RunningQuery } from '../query.ts'

export interface ResponseResource {
  /** The id that `events` uses for its threads. */
  readonly id: bigint
  readonly service: string
  readonly attributes: readonly KeyValue[]
  readonly droppedAttributesCount: number
}

export interface ResponseScope {
  readonly name: string
  readonly version: string
  readonly attributes: readonly KeyValue[]
  readonly droppedAttributesCount: number
}

/** Collects ids and looks them up together. `resource` and `scope` return rows in the lists. */
export class Containers {
  readonly #running: RunningQuery
  readonly #tables: ContainerTables
  readonly #resources = new Map<bigint, number>()
  readonly #scopes = new Map<bigint, number>()
  readonly #resourceNumbers: number[] = []
  readonly #scopeNumbers: number[] = []

  constructor(running: RunningQuery) {
    this.#running = running
    // A lost resource is empty. Its items stay readable: the response says that data is missing until the loss is repaired.
    const onFault = (): void => undefined
    this.#tables = new ContainerTables({ engine: running.limitedEngine, tenant: running.tenant, onFault })
  }

  resource(column: ColumnValues, row: number): number {
    return rowOf(column.bigint(row), this.#resources, this.#resourceNumbers, this.#tables.resources.ids)
  }

  scope(column: ColumnValues, row: number): number {
    return rowOf(column.bigint(row), this.#scopes, this.#scopeNumbers, this.#tables.scopes.ids)
  }

  /**
   * Cached: these two statements take half the time of a trace with 1000 spans, and a service's resource rarely
   * changes.
   */
  async load(): Promise<{
    readonly resources: readonly ResponseResource[]
    readonly scopes: readonly ResponseScope[]
  }> {
    const of = (rows: ReadonlyMap<bigint, number>): string => `containers ${[...rows.keys()].join(' ')}`
    const [resources, scopes] = await Promise.all([
      this.#running.remembered('resources', of(this.#resources), () => this.#loadResources(), lengthOf),
      this.#running.remembered('scopes', of(this.#scopes), () => this.#loadScopes(), lengthOf),
    ])
    return { resources, scopes }
  }

  async #loadResources(): Promise<readonly ResponseResource[]> {
    await this.#tables.resources.load()
    const ids = [...this.#resources.keys()]
    return this.#resourceNumbers.map((number, i) => {
      const { attributes, droppedAttributesCount } = this.#tables.resource(number).resource
      const texts = SERVICE_KEYS.map(name => scalarText(attributes.find(({ key }) => key === name)?.value))
      const service = texts.find(text => text !== '') ?? ''
      return { id: ids[i], service, attributes, droppedAttributesCount }
    })
  }

  async #loadScopes(): Promise<readonly ResponseScope[]> {
    await this.#tables.scopes.load()
    return this.#scopeNumbers.map(number => {
      const { name, version, attributes, droppedAttributesCount } = this.#tables.scope(number).scope
      return { name, version, attributes, droppedAttributesCount }
    })
  }
}

function lengthOf(rows: readonly unknown[]): number {
  return rows.length
}

function rowOf(
  id: bigint,
  rows: Map<bigint, number>,
  numbers: number[],
  ids: { add(lo: number, hi: number): number },
): number {
  let row = rows.get(id)
  if (row === undefined) {
    rows.set(id, (row = numbers.length))
    numbers.push(ids.add(Number(BigInt.asIntN(32, id)), Number(BigInt.asIntN(32, id >> 32n))))
  }
  return row
}

function scalarText(value: AnyValue): string {
  return value === undefined || typeof value === 'object' ? '' : String(value)
}

// The resources and scopes that spans, logs and data points of an answer are of, each once.
import type { AnyValue, KeyValue } from '@hearth/profile'
import { ContainerTables } from '../../store/read-containers.ts'
import type { ColumnValues } from '../../store/native/block.ts'
import type { RunningQuery } from '../query.ts'

export interface AnswerResource {
  /** As `events` names it for its threads. */
  readonly id: bigint
  readonly service: string
  readonly attributes: readonly KeyValue[]
}

export interface AnswerScope {
  readonly name: string
  readonly version: string
  readonly attributes: readonly KeyValue[]
}

/** Ids that are gathered first and then looked up all at once; rows in the lists are what `resource` and `scope` return. */
export class Containers {
  readonly #running: RunningQuery
  readonly #tables: ContainerTables
  readonly #resources = new Map<bigint, number>()
  readonly #scopes = new Map<bigint, number>()
  readonly #resourceNumbers: number[] = []
  readonly #scopeNumbers: number[] = []

  constructor(running: RunningQuery) {
    this.#running = running
    this.#tables = new ContainerTables({ engine: running.limitedEngine, tenant: running.tenant })
  }

  resource(column: ColumnValues, row: number): number {
    return rowOf(column.bigint(row), this.#resources, this.#resourceNumbers, this.#tables.resources.ids)
  }

  scope(column: ColumnValues, row: number): number {
    return rowOf(column.bigint(row), this.#scopes, this.#scopeNumbers, this.#tables.scopes.ids)
  }

  /** Remembered: two statements are half of what a trace of 1000 spans takes, and a service's resource stays the same. */
  async load(): Promise<{ readonly resources: readonly AnswerResource[]; readonly scopes: readonly AnswerScope[] }> {
    const of = (rows: ReadonlyMap<bigint, number>): string => `containers ${[...rows.keys()].join(' ')}`
    const [resources, scopes] = await Promise.all([
      this.#running.remembered('resources', of(this.#resources), () => this.#loadResources(), lengthOf),
      this.#running.remembered('scopes', of(this.#scopes), () => this.#loadScopes(), lengthOf),
    ])
    return { resources, scopes }
  }

  async #loadResources(): Promise<readonly AnswerResource[]> {
    await this.#tables.resources.load()
    const ids = [...this.#resources.keys()]
    return this.#resourceNumbers.map((number, i) => {
      const { attributes } = this.#tables.resource(number).resource
      return { id: ids[i], service: textOf(attributes.find(({ key }) => key === 'service.name')?.value), attributes }
    })
  }

  async #loadScopes(): Promise<readonly AnswerScope[]> {
    await this.#tables.scopes.load()
    return this.#scopeNumbers.map(number => {
      const { name, version, attributes } = this.#tables.scope(number).scope
      return { name, version, attributes }
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

function textOf(value: AnyValue): string {
  return value === undefined || typeof value === 'object' ? '' : String(value)
}

// Reads profiles from the store into the model, in batches with a bounded number of observations. They equal the received
// ones except for the order of dictionaries.
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder } from '@hearth/profile'
import type { StoredResource, StoredScope } from '../containers.ts'
import type { Parameter, ReadEngine } from '../engine.ts'
import type { Block } from '../native/block.ts'
import { ContainerTables } from '../read-containers.ts'
import { SymbolLoader } from '../symbols/load-symbols.ts'
import type { SymbolError, SymbolSource } from '../symbols/symbol-table.ts'
import { wordsOf } from '../symbols/symbol-table.ts'
import { addUnknownOfRequest } from '../unknown-parts.ts'
import { ProfileRows } from './profile-rows.ts'

export interface ReadOptions {
  readonly signal?: AbortSignal
  /** Called for symbols that cannot be read, which are then treated as unset. Without it, the first one throws. */
  readonly onFault?: (error: SymbolError) => void
}

export interface ProfileQuery extends ReadOptions {
  /**
   * A condition on columns of `profiles`, with `{name:Type}` for values: `series IN {ids:Array(UInt64)}`. The names tenant,
   * after_…, first_… and last_… are reserved.
   */
  readonly where: string
  readonly parameters?: Readonly<Record<string, Parameter>>
  /** Approximate number of observations in memory. A profile with more is returned alone. */
  readonly batch?: number
  /** Number of profiles that are looked up before their samples are read. */
  readonly page?: number
}

/** Yields all profiles that match the condition, by series and time, in sets of about `batch` observations. */
export async function* readProfiles(engine: ReadEngine, tenant: string, query: ProfileQuery): AsyncGenerator<Profiles> {
  const signal = query.signal === undefined ? {} : { signal: query.signal }
  const batch = query.batch ?? DEFAULT_BATCH
  const page = query.page ?? DEFAULT_PAGE
  let after: Key | undefined
  for (;;) {
    // List the profiles before their samples, so that the memory of a batch is known. No other query runs meanwhile, because
    // an engine may have a single session for queries.
    const keys = await engine.select(
      `SELECT ${KEY.join(', ')}, observations, samples FROM profiles WHERE tenant = {tenant:String} AND (${query.where})` +
        `${after === undefined ? '' : ` AND ${beyond('>', 'after')}`} ORDER BY ${KEY.join(', ')} LIMIT ${page}`,
      {
        parameters: { ...query.parameters, tenant, ...(after === undefined ? {} : keyParameters('after', after)) },
        ...signal,
      },
    )
    const requests = keys.rows === 0 ? [] : await unknownOfRequests(engine, tenant, keys, query)
    for (let from = 0; from < keys.rows;) {
      const to = endOfBatch(keys, from, batch)
      const block = await engine.select(
        `SELECT ${ProfileRows.COLUMNS} FROM profiles WHERE tenant = {tenant:String} AND (${query.where}) ` +
          `AND ${beyond('>=', 'first')} AND ${beyond('<=', 'last')} ORDER BY ${KEY.join(', ')}`,
        {
          parameters: {
            ...query.parameters,
            tenant,
            ...keyParameters('first', keyAt(keys, from)),
            ...keyParameters('last', keyAt(keys, to - 1)),
          },
          ...signal,
        },
      )
      const unknown = requests.length === 0 ? [] : unknownIn(requests, keys, from, to)
      yield await new BatchReader(engine, tenant, query).found(block, unknown)
      from = to
    }
    if (keys.rows < page) return
    after = keyAt(keys, keys.rows - 1)
  }
}

interface UnknownOfRequest {
  /** See requestKey. */
  readonly key: string
  readonly fields: Uint8Array
}

/** The unknown fields of requests that belong to no row, in the order of receipt. Few requests have any. */
async function unknownOfRequests(
  engine: ReadEngine,
  tenant: string,
  keys: Block,
  { signal }: ReadOptions,
): Promise<readonly UnknownOfRequest[]> {
  const received = keys.column('received')
  let [first, last] = [received.bigint(0), received.bigint(0)]
  for (let row = 1; row < keys.rows; row++) {
    const time = received.bigint(row)
    if (time < first) first = time
    if (time > last) last = time
  }
  const found = await engine.select(
    "SELECT request, received, unknown_fields FROM requests WHERE tenant = {tenant:String} AND signal = 'profiles' " +
      "AND unknown_fields != '' AND received >= fromUnixTimestamp64Nano({first:Int64}) " +
      'AND received <= fromUnixTimestamp64Nano({last:Int64}) ORDER BY received, request',
    { parameters: { tenant, first, last }, ...(signal === undefined ? {} : { signal }) },
  )
  return Array.from({ length: found.rows }, (_, row) => ({
    key: requestKey(found, row),
    fields: found.column('unknown_fields').bytes(row).slice(),
  }))
}

/** The same content may arrive twice with one id, so the time of receipt is a part of the key. */
function requestKey(block: Block, row: number): string {
  return `${block.column('received').bigint(row)} ${Buffer.from(block.column('request').bytes(row)).toString('hex')}`
}

function unknownIn(all: readonly UnknownOfRequest[], keys: Block, from: number, to: number): Uint8Array[] {
  const present = new Set<string>()
  for (let row = from; row < to; row++) present.add(requestKey(keys, row))
  return all.filter(({ key }) => present.has(key)).map(({ fields }) => fields)
}

/** 200,000 timestamped observations take about 20 MB as blocks and as model. */
const DEFAULT_BATCH = 200_000
const DEFAULT_PAGE = 10_000

/** The columns that identify a profile of a tenant, in table order. */
const KEY = ['series', 'time', 'request', 'received', 'scope_index', 'item_index'] as const

interface Key {
  readonly series: bigint
  readonly time: bigint
  readonly request: Uint8Array
  readonly received: bigint
  readonly scope: number
  readonly item: number
}

function keyAt(keys: Block, row: number): Key {
  return {
    series: keys.column('series').bigint(row),
    time: keys.column('time').bigint(row),
    request: keys.column('request').bytes(row),
    received: keys.column('received').bigint(row),
    scope: keys.column('scope_index').number(row),
    item: keys.column('item_index').number(row),
  }
}

function keyParameters(name: string, { series, time, request, received, scope, item }: Key): Record<string, Parameter> {
  return {
    [`${name}_series`]: series,
    [`${name}_time`]: time,
    [`${name}_request`]: request,
    [`${name}_received`]: received,
    [`${name}_scope`]: scope,
    [`${name}_item`]: item,
  }
}

/** A comparison with a key. The series is compared separately as well, because the index can use only that. */
function beyond(operator: '>' | '>=' | '<=', name: string): string {
  return (
    `series ${operator === '<=' ? '<=' : '>='} {${name}_series:UInt64} AND (${KEY.join(', ')}) ${operator} ` +
    `({${name}_series:UInt64}, fromUnixTimestamp64Nano({${name}_time:Int64}), {${name}_request:FixedString(16)}, ` +
    `fromUnixTimestamp64Nano({${name}_received:Int64}), {${name}_scope:UInt32}, {${name}_item:UInt32})`
  )
}

/** Returns the end of the batch, which has at least one profile. */
function endOfBatch(keys: Block, from: number, batch: number): number {
  const observations = keys.column('observations')
  const samples = keys.column('samples')
  let sum = 0
  let to = from
  for (; to < keys.rows; to++) {
    sum += Math.max(observations.number(to), samples.number(to), 1)
    if (sum > batch && to > from) break
  }
  return to
}

/** Builds one set of profiles. */
class BatchReader {
  readonly #builder = new ProfilesBuilder()
  readonly #symbols: SymbolLoader
  readonly #containers: ContainerTables

  constructor(engine: ReadEngine, tenant: string, { signal, onFault }: ReadOptions) {
    const source: SymbolSource = {
      engine,
      tenant,
      ...(signal === undefined ? {} : { signal }),
      ...(onFault === undefined ? {} : { onFault }),
    }
    this.#symbols = new SymbolLoader(source, this.#builder)
    this.#containers = new ContainerTables(source)
  }

  /** Reads profiles of any requests. A new resource or scope starts where it differs from the previous one. */
  async found(block: Block, unknown: readonly Uint8Array[]): Promise<Profiles> {
    const rows = new ProfileRows(block, this.#symbols, this.#builder)
    const resourceIds = wordsOf(block.column('resource'))
    const scopeIds = wordsOf(block.column('scope'))
    for (let row = 0; row < block.rows; row++) {
      this.#containers.resources.ids.add(resourceIds[2 * row], resourceIds[2 * row + 1])
      this.#containers.scopes.ids.add(scopeIds[2 * row], scopeIds[2 * row + 1])
    }
    await this.#load(rows)
    for (const fields of unknown) addUnknownOfRequest(this.#builder, fields)
    let [lastResource, lastScope] = [-1, -1]
    for (let row = 0; row < block.rows; row++) {
      const resource = this.#containers.resources.ids.find(resourceIds[2 * row], resourceIds[2 * row + 1])
      const scope = this.#containers.scopes.ids.find(scopeIds[2 * row], scopeIds[2 * row + 1])
      if (resource !== lastResource) addResource(this.#builder, this.#containers.resource(resource))
      if (resource !== lastResource || scope !== lastScope) addScope(this.#builder, this.#containers.scope(scope))
      lastResource = resource
      lastScope = scope
      rows.add(row)
    }
    return this.#builder.build()
  }

  async #load(rows: ProfileRows): Promise<void> {
    await this.#containers.load()
    rows.addSymbols()
    await this.#symbols.load()
  }
}

export function addResource(builder: ProfilesBuilder, { resource, schemaUrl, unknown }: StoredResource): void {
  builder.resource(resource, schemaUrl)
  builder.unknownFields('resources', unknown)
}

export function addScope(builder: ProfilesBuilder, { scope, schemaUrl, unknown }: StoredScope): void {
  builder.scope(scope, schemaUrl)
  builder.unknownFields('scopes', unknown)
}

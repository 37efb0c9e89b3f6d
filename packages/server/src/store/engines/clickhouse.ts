// The engine as a ClickHouse server or cluster, over its HTTP interface.
import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { BytesOptions, Engine, InsertOptions, NativeSource, SelectOptions } from '../engine.ts'
import { EngineError } from '../engine.ts'
import type { Block } from '../native/block.ts'
import { BlockReader, mergeBlocks } from '../native/block.ts'
import { NativeFormatError } from '../native/byte-cursor.ts'
import { allTables } from '../schema/all-tables.ts'
import { onCluster, storedName } from '../schema/ddl.ts'
import type { ClickHouseAddress } from './clickhouse-url.ts'
import { parseClickHouseUrl } from './clickhouse-url.ts'
import { LONGEST_MESSAGE, codeOf, faultOf, hide, messageIn } from './engine-fault.ts'
import { cancelledError } from './session-pool.ts'
import { splitCodec } from '../native/table.ts'
import { exceptSql, parameterTexts, quoteName, quoteText } from '../sql-text.ts'
import { TableDurability } from './table-durability.ts'

export interface ClickHouseOptions {
  /** See clickhouse-url.ts. */
  readonly url: string
  /** Maximum number of concurrent statements. Others wait in a queue. */
  readonly connections?: number
  /** Default limits of a statement. 0 means no limit. */
  readonly maxSeconds?: number
  readonly maxMemoryBytes?: number
  /** The server counts as unreachable after this time without any byte. */
  readonly silentSeconds?: number
}

/** Longer parameters go into the body. Proxies reject long URLs, and ClickHouse rejects URLs above 1 MiB. */
const LONGEST_IN_URL = 4096
/** A response may have 16 KB of headers, which is about 60 progress headers: enough for half an hour. */
const PROGRESS_MS = 30_000
const KILL_AGAIN_MS = 100
/** More rows and bytes than any insert has. */
const WHATEVER_SIZE = 1e15
/** The engine stops trying to kill a query after this many attempts and drops its connection. */
const MAX_KILLS = 50

type Settings = Record<string, string | number>

export async function openClickHouse(options: ClickHouseOptions): Promise<Engine> {
  const engine = new ClickHouseEngine(parseClickHouseUrl(options.url), options)
  try {
    await engine.select('SELECT 1 AS one')
  } catch (error) {
    await engine.close()
    throw error
  }
  return engine
}

class ClickHouseEngine implements Engine {
  readonly kind = 'clickhouse'
  readonly #address: ClickHouseAddress
  readonly #client: ClickHouseClient
  /** Kills queries. Has its own connections, because the queries to kill may hold all others. */
  readonly #control: ClickHouseClient
  readonly #options: ClickHouseOptions
  readonly #durability: TableDurability
  /** Settings of every statement. */
  readonly #everywhere: Settings
  readonly #running = new Set<Promise<unknown>>()
  #closed = false

  constructor(address: ClickHouseAddress, options: ClickHouseOptions) {
    this.#address = address
    this.#options = options
    this.#everywhere = {
      // Progress headers keep the connection alive while a long statement has no rows yet.
      send_progress_in_http_headers: 1,
      http_headers_progress_interval_ms: String(PROGRESS_MS),
      // An insert returns when its rows are on their shards, and IN and JOIN see all shards.
      ...(address.cluster === undefined ? {} : { insert_distributed_sync: 1, distributed_product_mode: 'global' }),
    }
    this.#client = this.#connect(options.connections ?? 16, address.compress)
    this.#control = this.#connect(2, false)
    this.#durability = new TableDurability(this, onCluster(address))
  }

  async select(sql: string, options: SelectOptions = {}): Promise<Block> {
    const blocks: Block[] = []
    for await (const block of this.#blocks(sql, { ...options, streamed: false })) blocks.push(block)
    return mergeBlocks(blocks)
  }

  selectBlocks(sql: string, options: SelectOptions = {}): AsyncIterable<Block> {
    return this.#blocks(sql, { ...options, streamed: true })
  }

  async insert(table: string, source: NativeSource, options: InsertOptions): Promise<void> {
    await this.#durability.ensure(table, options.sync ?? false, storedName(table, this.#address))
    const settings: Settings = {
      insert_deduplicate: 1,
      insert_deduplication_token: options.token,
      max_partitions_per_insert_block: 0,
      // All files form one block, so that a token covers the same rows when they are sent again.
      min_insert_block_size_rows: WHATEVER_SIZE,
      min_insert_block_size_bytes: WHATEVER_SIZE,
      // An insert returns when rows are stored, not when they are queued in the server or in a Distributed table.
      async_insert: 0,
      wait_end_of_query: 1,
      ...this.#everywhere,
    }
    const columns = source.columns.map(quoteName).join(', ')
    await this.#track(`insert into ${table}`, async () => {
      const paths = [source.file, ...(source.more ?? [])]
      try {
        // Check before the request: a missing file must not look like an unreachable server.
        for (const path of paths) await access(path, constants.R_OK)
      } catch (error) {
        throw new EngineError('refused', 107, `insert into ${table}: ${(error as Error).message}`)
      }
      const file = Readable.from(bytesOf(paths), { objectMode: false, highWaterMark: 1 << 20 })
      try {
        const response = await this.#client.exec({
          query: `INSERT INTO ${quoteName(table)} (${columns}) ${selectionOf(table, source)}FORMAT Native`,
          values: file,
          clickhouse_settings: settings,
        })
        await drainResponse(response.stream)
      } finally {
        file.destroy()
      }
    })
  }

  async command(sql: string): Promise<void> {
    await this.#track('command', async () => {
      const settings: Settings = { wait_end_of_query: 1, ...this.#everywhere }
      const response = await this.#client.exec({ query: sql, clickhouse_settings: settings })
      await drainResponse(response.stream)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
    await Promise.all([this.#client.close(), this.#control.close()])
  }

  #connect(connections: number, compress: boolean): ClickHouseClient {
    const { origin, user, password, database } = this.#address
    return createClient({
      url: origin,
      username: user,
      password,
      database,
      application: 'hearth',
      compression: { request: compress, response: compress },
      max_open_connections: connections,
      request_timeout: (this.#options.silentSeconds ?? 300) * 1000,
      log: { level: ClickHouseLogLevel.OFF },
    })
  }

  async *#blocks(sql: string, options: BytesOptions): AsyncGenerator<Block> {
    const reader = new BlockReader()
    try {
      for await (const piece of this.selectBytes(sql, options)) yield* reader.push(piece)
      yield* reader.end()
    } catch (error) {
      throw this.#errorOf(error, 'query', reader.rest)
    }
  }

  async *selectBytes(sql: string, options: BytesOptions): AsyncGenerator<Uint8Array> {
    const { signal } = options
    if (isAborted(signal)) throw cancelledError()
    const id = randomUUID()
    let last: Uint8Array = new Uint8Array(0)
    const giveUp = new AbortController()
    let ended = false
    const onAbort = () => void this.#kill(id, () => ended).then(() => giveUp.abort())
    signal?.addEventListener('abort', onAbort, { once: true })
    let stream: Readable | undefined
    let whole = false
    let finish = () => {}
    const running = new Promise<void>(done => {
      finish = done
    })
    this.#running.add(running)
    try {
      if (this.#closed) throw new EngineError('unavailable', 0, 'the store is closed')
      stream = await this.#ask(sql, id, options, giveUp.signal)
      for await (const piece of stream) {
        last = piece as Uint8Array
        yield last
      }
      whole = true
    } catch (error) {
      whole = true
      throw isAborted(signal) ? cancelledError() : this.#errorOf(error, 'query', last)
    } finally {
      ended = true
      signal?.removeEventListener('abort', onAbort)
      stream?.destroy()
      // The caller has stopped reading, so end the query in the server.
      if (!whole) await this.#kill(id, () => false, 1)
      finish()
      this.#running.delete(running)
    }
  }

  async #ask(sql: string, id: string, options: BytesOptions, signal: AbortSignal): Promise<Readable> {
    const parameters = parameterTexts(options.parameters).map(([name, text]) => [`param_${name}`, text] as const)
    const length = parameters.reduce((sum, [name, text]) => sum + name.length + encodeURIComponent(text).length, 0)
    const inUrl = length <= LONGEST_IN_URL
    const settings: Settings = {
      // The server buffers the complete response, so that an error gets a status instead of ending the rows early.
      ...(options.streamed ? {} : { wait_end_of_query: 1 }),
      ...this.#everywhere,
      default_format: 'Native',
      readonly: 2,
      cancel_http_readonly_queries_on_client_close: 1,
      max_execution_time: options.maxSeconds ?? this.#options.maxSeconds ?? 0,
      max_memory_usage: String(options.maxMemoryBytes ?? this.#options.maxMemoryBytes ?? 0),
      ...(inUrl ? Object.fromEntries(parameters) : {}),
    }
    const shared = { query: sql, query_id: id, abort_signal: signal, clickhouse_settings: settings }
    if (inUrl) return (await this.#client.exec(shared)).stream
    const boundary = `hearth-${randomUUID()}`
    const response = await this.#client.exec({
      ...shared,
      values: Readable.from([Buffer.from(formBody(parameters, boundary))]),
      http_headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    })
    return response.stream
  }

  /** Kills a query in the server. Repeats, because the query may not have started yet. */
  async #kill(id: string, done: () => boolean, most = MAX_KILLS): Promise<void> {
    const sql = `KILL QUERY${onCluster(this.#address)} WHERE query_id = ${quoteText(id)} ASYNC`
    for (let i = 0; i < most && !done(); i++) {
      try {
        await this.#control.command({ query: sql })
      } catch {
        // If the server is unreachable, dropping the connection ends the query.
        return
      }
      if (i + 1 < most) await wait(KILL_AGAIN_MS)
    }
  }

  async #track<T>(about: string, run: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new EngineError('unavailable', 0, 'the store is closed')
    const running = run()
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      throw this.#errorOf(error, about)
    } finally {
      this.#running.delete(running)
    }
  }

  /** `rest` are the last bytes of a response, which may contain a message. */
  #errorOf(error: unknown, about: string, rest?: Uint8Array): EngineError {
    if (error instanceof EngineError) return error
    const late = rest === undefined ? '' : messageIn(rest)
    const text = late === '' ? (error instanceof Error ? error.message : String(error)) : late
    const code = error instanceof ClickHouseError ? Number(error.code) : codeOf(text)
    const shown = hide(`${about} at ${this.#address.origin}: ${text.slice(0, 2000)}`, this.#address.password)
    if (code !== 0) return new EngineError(faultOf(code, text), code, shown)
    // No error code means that the message is not the engine's: the connection broke or a proxy replied.
    return new EngineError(
      error instanceof TypeError || (error instanceof NativeFormatError && error.name !== 'IncompleteError')
        ? 'refused'
        : 'unavailable',
      0,
      shown === '' ? 'no response' : shown,
    )
  }
}

/** Without rows to skip, the rows of the body are inserted as they are. */
function selectionOf(table: string, source: NativeSource): string {
  const except = exceptSql(source)
  if (except === '') return ''
  const definition = allTables.find(({ name }) => name === table)
  const structure = source.columns.map(name => {
    const [type] = splitCodec(definition?.columns[name]?.ddl ?? '')
    return `${quoteName(name)} ${type}`
  })
  const columns = source.columns.map(quoteName).join(', ')
  return `SELECT ${columns} FROM input(${quoteText(structure.join(', '))}) ${except}`
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/** Reads the body to the end even if it is not needed. Otherwise the connection is not reused. */
/** Reads one file after another. Blocks of the Native format can be concatenated. */
async function* bytesOf(paths: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths)
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) yield chunk as Uint8Array
}

async function drainResponse(stream: Readable): Promise<void> {
  let text = ''
  for await (const piece of stream) if (text.length < LONGEST_MESSAGE) text += (piece as Buffer).toString('utf8')
  if (codeOf(text) !== 0) throw new Error(text)
}

function formBody(parts: readonly (readonly [string, string])[], boundary: string): string {
  const fields = parts.map(
    ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  )
  return `${fields.join('')}--${boundary}--\r\n`
}

// The engine inside this process: chDB, which is ClickHouse as a library, on its own directory.
// Threads: every running statement holds one thread of libuv's pool until it ends. File and zlib calls use the same pool, so
// a pool without a free thread stops the journal. Therefore at most `threads - 2` statements run at once, and others wait in
// a queue here. The pool has 4 threads unless UV_THREADPOOL_SIZE is set *before Node starts*. Setting it later has no effect,
// because loading the first module creates the pool. 16 suits a server.
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Session } from 'chdb'
import type { BytesOptions, Engine, InsertOptions, NativeSource, SelectOptions } from '../engine.ts'
import { EngineError } from '../engine.ts'
import type { Block } from '../native/block.ts'
import { BlockReader, mergeBlocks, readBlocks } from '../native/block.ts'
import { engineErrorOf } from './engine-fault.ts'
import type { Chdb } from './load-chdb.ts'
import { loadChdb } from './load-chdb.ts'
import type { Limits } from './session-pool.ts'
import { PooledSession, SessionPool, cancelledError } from './session-pool.ts'
import { exceptSql, quoteName, quoteText, withLiterals } from '../sql-text.ts'
import { TableDefinitions } from './table-definitions.ts'
import { TableDurability } from './table-durability.ts'

export interface EmbeddedOptions {
  /** Created if missing. One process at a time can open it, and a process can open only one. */
  readonly directory: string
  /** Maximum concurrent queries. Default: what `threads` allows, at most 6. */
  readonly readers?: number
  /** Maximum concurrent inserts and commands. Two are not faster, but a long command then does not delay inserts. */
  readonly writers?: number
  /** Size of libuv's pool. Default: UV_THREADPOOL_SIZE, or 4. */
  readonly threads?: number
  /** Default limits of a statement. 0 means no limit. */
  readonly maxSeconds?: number
  readonly maxMemoryBytes?: number
  /** Memory limit of the complete engine, including caches. */
  readonly engineMemoryBytes?: number
  /** How long close() waits for running queries before it cancels them. */
  readonly closeSeconds?: number
}

/** Threads of libuv's pool that are left to files, zlib and DNS. */
const SPARE_THREADS = 2
const DEFAULT_READERS = 6
const KILL_AGAIN_MS = 50
/**
 * Threads that the engine keeps for later. Each one has three open files of /proc and its own memory, and the default is 1000:
 * bursts of merges left hundreds of them.
 */
const IDLE_THREADS = 16
/** More rows and bytes than any insert has. */
const WHATEVER_SIZE = 1e15

/** Returns how many sessions of each kind fit into the threads. */
export function sessionCounts(options: Pick<EmbeddedOptions, 'readers' | 'writers' | 'threads'>): {
  readonly readers: number
  readonly writers: number
} {
  const threads = options.threads ?? (Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) || 4)
  const most = Math.max(2, threads - SPARE_THREADS)
  const writers = Math.max(1, Math.min(options.writers ?? (most >= 4 ? 2 : 1), most - 1))
  const readers = Math.max(1, Math.min(options.readers ?? DEFAULT_READERS, most - writers))
  return { readers, writers }
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Engine> {
  const chdb = await loadChdb()
  const directory = resolve(options.directory)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    // A session that another engine of this process has just closed may still release the directory.
    await chdb.drainPending()
  } catch (error) {
    throw new EngineError('unavailable', 0, `${directory}: ${(error as Error).message}`, { cause: error })
  }
  return new EmbeddedEngine(chdb, directory, options)
}

/** Number of sessions opened in this process. Makes their names unique. */
let sessionsMade = 0

class EmbeddedEngine implements Engine {
  readonly kind = 'embedded'
  readonly #chdb: Chdb
  readonly #readers: SessionPool
  readonly #writers: SessionPool
  /**
   * Kills queries. Its statements run on the main thread for some milliseconds each, because a cancellation must not wait for
   * a thread.
   */
  readonly #control: Session
  readonly #limits: Limits
  readonly #closeSeconds: number
  readonly #definitions: TableDefinitions
  readonly #durability: TableDurability
  #commands: Promise<unknown> = Promise.resolve()
  readonly #inserts = new Map<string, number>()
  #commandsRun = 0
  #closing: Promise<void> | undefined

  constructor(chdb: Chdb, directory: string, options: EmbeddedOptions) {
    this.#chdb = chdb
    const { readers, writers } = sessionCounts(options)
    this.#limits = { maxSeconds: options.maxSeconds ?? 0, maxMemoryBytes: options.maxMemoryBytes ?? 0 }
    this.#closeSeconds = options.closeSeconds ?? 10
    this.#definitions = new TableDefinitions(directory)
    this.#definitions.restore()
    this.#control = openSession(chdb, directory, options)
    const pool = (count: number, readOnly: boolean) =>
      new SessionPool(
        Array.from({ length: count }, () => {
          const comment = `hearth-${process.pid}-${++sessionsMade}`
          return new PooledSession(openSession(chdb, directory, options), comment, readOnly, this.#limits)
        }),
      )
    try {
      this.#readers = pool(readers, true)
      this.#writers = pool(writers, false)
    } catch (error) {
      this.#control.close()
      throw engineErrorOf(error, 'opening the store')
    }
    this.#durability = new TableDurability(this, '')
  }

  async select(sql: string, options: SelectOptions = {}): Promise<Block> {
    return mergeBlocks(readBlocks(await this.#selectAll(sql, options)))
  }

  async *selectBlocks(sql: string, options: SelectOptions = {}): AsyncGenerator<Block> {
    const reader = new BlockReader()
    for await (const piece of this.#selectPieces(sql, options)) yield* reader.push(piece)
    yield* reader.end()
  }

  async *selectBytes(sql: string, options: BytesOptions): AsyncGenerator<Uint8Array> {
    if (options.streamed) yield* this.#selectPieces(sql, options)
    else yield await this.#selectAll(sql, options)
  }

  async #selectAll(sql: string, options: SelectOptions): Promise<Uint8Array> {
    return await this.#read(options, async session => {
      const result = await this.#cancellable(
        session,
        options.signal,
        session.session.queryAsync(withLiterals(sql, options.parameters), { format: 'Native' }),
      )
      return result.bytes()
    })
  }

  async *#selectPieces(sql: string, options: SelectOptions): AsyncGenerator<Uint8Array> {
    const session = await this.#readers.acquire(options.signal)
    try {
      await this.#prepare(session, options)
      const stream = session.session.queryStream(withLiterals(sql, options.parameters), { format: 'Native' })
      const chunks = stream[Symbol.asyncIterator]()
      try {
        for (;;) {
          if (options.signal?.aborted === true) throw cancelledError()
          const next = await this.#cancellable(session, options.signal, chunks.next())
          if (next.done === true) break
          yield next.value.raw()
        }
      } finally {
        // The caller has stopped reading, so end the query.
        stream.cancel()
      }
    } catch (error) {
      session.fail()
      throw engineErrorOf(error, 'query')
    } finally {
      await this.#giveBack(this.#readers, session)
    }
  }

  async insert(table: string, source: NativeSource, options: InsertOptions): Promise<void> {
    const files = [source.file, ...(source.more ?? [])]
    for (const file of files) checkPath(file)
    await this.#durability.ensure(table, options.sync ?? false)
    try {
      await this.#insert(table, files, source, options)
    } finally {
      this.#inserts.set(table, (this.#inserts.get(table) ?? 0) + 1)
    }
  }

  async #insert(table: string, files: readonly string[], source: NativeSource, options: InsertOptions): Promise<void> {
    const columns = source.columns.map(quoteName).join(', ')
    // All blocks are squashed into one and become one part per partition, whatever the size. A token therefore covers the
    // same rows when they are sent again. One thread reads, which keeps the files in order. The structure is read from the
    // file each time, because a name may return with other columns.
    await this.#write(
      `INSERT INTO ${quoteName(table)} (${columns}) ` +
        `SELECT ${columns} FROM file(${quoteText(patternOf(files))}, 'Native', 'auto', 'none') ${exceptSql(source)}` +
        `SETTINGS insert_deduplicate = 1, insert_deduplication_token = ${quoteText(options.token)}, ` +
        'max_partitions_per_insert_block = 0, max_insert_threads = 1, max_threads = 1, ' +
        `min_insert_block_size_rows = ${WHATEVER_SIZE}, min_insert_block_size_bytes = ${WHATEVER_SIZE}, ` +
        'schema_inference_use_cache_for_file = 0, ' +
        'use_structure_from_insertion_table_in_table_functions = 0',
      `insert into ${table}`,
    )
  }

  command(sql: string): Promise<void> {
    const run = this.#commands
      .then(() => this.#definitions.during(sql, () => this.#write(sql, 'command')))
      .finally(() => {
        this.#commandsRun++
      })
    this.#commands = run.catch(() => undefined)
    return run
  }

  /** One process at a time has the directory, so all writes go through this class. A command may change any table. */
  changes(table: string): number {
    return this.#commandsRun + (this.#inserts.get(table) ?? 0)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    // Repeat the kill, as in #cancellable: a query that has a session may not have started yet.
    const kill = () => {
      for (const session of this.#readers.busy()) this.#kill(session)
      timer = setTimeout(kill, KILL_AGAIN_MS)
    }
    timer = setTimeout(kill, this.#closeSeconds * 1000)
    // A reader ends its own stream of blocks, or never does. Do not wait twice as long for such streams.
    const patience = new Promise<void>(done => setTimeout(done, this.#closeSeconds * 1500).unref())
    try {
      await Promise.all([this.#writers.drain(), Promise.race([this.#readers.drain(), patience])])
      this.#readers.closeSessions()
      this.#writers.closeSessions()
      await this.#chdb.drainPending()
    } finally {
      clearTimeout(timer)
      this.#control.close()
    }
  }

  async #read<T>(options: SelectOptions, run: (session: PooledSession) => Promise<T>): Promise<T> {
    const session = await this.#readers.acquire(options.signal)
    try {
      await this.#prepare(session, options)
      return await run(session)
    } catch (error) {
      session.fail()
      throw engineErrorOf(error, 'query')
    } finally {
      await this.#giveBack(this.#readers, session)
    }
  }

  async #prepare(session: PooledSession, options: SelectOptions): Promise<void> {
    await session.prepare({
      maxSeconds: options.maxSeconds ?? this.#limits.maxSeconds,
      maxMemoryBytes: options.maxMemoryBytes ?? this.#limits.maxMemoryBytes,
    })
  }

  async #write(sql: string, about: string): Promise<void> {
    const session = await this.#writers.acquire()
    try {
      await session.session.queryAsync(sql)
    } catch (error) {
      session.fail()
      throw engineErrorOf(error, about)
    } finally {
      await this.#giveBack(this.#writers, session)
    }
  }

  async #giveBack(pool: SessionPool, session: PooledSession): Promise<void> {
    try {
      await session.tidy()
    } catch {
      // A session that was closed or could not be cleared reports this to its next query.
    }
    pool.release(session)
  }

  /** Waits for `running` and cancels it inside the engine when the signal aborts. */
  async #cancellable<T>(session: PooledSession, signal: AbortSignal | undefined, running: Promise<T>): Promise<T> {
    if (signal === undefined) return await running
    let timer: NodeJS.Timeout | undefined
    // Repeat, because the query may not have started yet: it may wait for a thread or be parsed.
    const kill = () => {
      this.#kill(session)
      timer = setTimeout(kill, KILL_AGAIN_MS)
    }
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
    try {
      return await running
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
    }
  }

  #kill(session: PooledSession): void {
    try {
      this.#control.query(`KILL QUERY WHERE Settings['log_comment'] = ${quoteText(session.comment)} ASYNC`)
    } catch {
      // The caller gets the error of the query itself.
    }
  }
}

function openSession(chdb: Chdb, directory: string, options: EmbeddedOptions): Session {
  const connectionArgs = [`--max_thread_pool_free_size=${IDLE_THREADS}`]
  const memory = options.engineMemoryBytes
  if (memory !== undefined) {
    connectionArgs.push(`--max_server_memory_usage=${memory}`)
    // The default is 5 GiB each.
    for (const cache of ['mark_cache_size', 'index_mark_cache_size', 'primary_index_cache_size'])
      connectionArgs.push(`--${cache}=${Math.floor(memory / 10)}`)
  }
  try {
    return new chdb.Session(directory, { connectionArgs })
  } catch (error) {
    const text = (error as Error).message
    const owner = ownerOf(directory)
    const what =
      owner !== undefined
        ? `is in use by process ${owner}`
        : text.includes('only one active data directory')
          ? 'cannot be opened while this process has another one open'
          : 'cannot be opened; standard error has the reason'
    throw new EngineError('unavailable', 0, `the data directory ${directory} ${what}: ${text}`, { cause: error })
  }
}

/** The engine reports a locked directory on standard error only, but keeps its process id in the directory. */
function ownerOf(directory: string): number | undefined {
  try {
    const pid = Number(/^PID: (\d+)/m.exec(readFileSync(join(directory, 'status'), 'utf8'))?.[1])
    if (pid === process.pid || !isAlive(pid)) return undefined
    return pid
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process belongs to another user and is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** `/journal/{0000000007,0000000008}/profiles.native` */
function patternOf(files: readonly string[]): string {
  const [first] = files
  if (files.length === 1) return first
  const directories = files.map(file => basename(dirname(file)))
  return join(dirname(dirname(first)), `{${directories.join(',')}}`, basename(first))
}

/** Throws if the engine's file() would read the path as a pattern or an archive. This cannot be turned off. */
function checkPath(file: string): void {
  if (/[*?{}\0]|::/.test(file))
    throw new EngineError(
      'refused',
      0,
      `the engine cannot read ${JSON.stringify(file)}: *, ?, {, } and :: are not allowed`,
    )
}

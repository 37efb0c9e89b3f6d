// One set of tests for both engines: the embedded one, and ClickHouse over real HTTP backed by the embedded one.
// HEARTH_TEST_CLICKHOUSE=clickhouse://user:password@host:8123/database also runs them against a server.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine, EngineFault, NativeSource } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { TableBatch, arrayOf, date, defineTable, fewTexts, fixedBytes, int64, text, uint64 } from '../native/table.ts'
import type { Layout } from '../schema/ddl.ts'
import { createTable, onCluster, storedName } from '../schema/ddl.ts'
import { migrate, migrations, schemaVersion } from '../schema/migrations.ts'
import { startClickHouseHttp } from '../testing/clickhouse-http.ts'
import { nativeFile } from '../testing/native-file.ts'
import { parseClickHouseUrl } from './clickhouse-url.ts'
import { openClickHouse } from './clickhouse.ts'
import { openEmbedded } from './embedded.ts'

interface Opened {
  readonly engine: Engine
  close(): Promise<void>
}

interface Kind {
  readonly name: string
  readonly layout: Layout
  readonly open: (directory: string) => Promise<Opened>
}

const PASSWORD = "p'a s%s/w:ö"

const kinds: Kind[] = [
  {
    name: 'embedded',
    layout: {},
    async open(directory) {
      const engine = await openEmbedded({ directory, threads: 8 })
      return { engine, close: () => engine.close() }
    },
  },
  {
    name: 'clickhouse over http',
    layout: {},
    async open(directory) {
      const server = await startClickHouseHttp({ directory, user: 'hearth', password: PASSWORD })
      const url = `clickhouse://hearth:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}/default?compress=1`
      const engine = await openClickHouse({ url })
      return {
        engine,
        async close() {
          await engine.close()
          await server.close()
        },
      }
    },
  },
]

const SERVER = 'a clickhouse server'
const realServer = process.env['HEARTH_TEST_CLICKHOUSE'] ?? ''
// oxlint-disable-next-line no-console -- what is not tested has to be seen
if (realServer === '') console.log('skipped: no HEARTH_TEST_CLICKHOUSE, so no test against a ClickHouse server')
else
  kinds.push({
    name: SERVER,
    layout: { cluster: parseClickHouseUrl(realServer).cluster },
    async open() {
      const engine = await openClickHouse({ url: realServer })
      return { engine, close: () => engine.close() }
    },
  })

const rows = defineTable(
  'engine_test_rows',
  {
    tenant: fewTexts(),
    day: date(),
    id: uint64(),
    key: fixedBytes(4),
    name: text(),
    values: arrayOf(int64()),
    names: arrayOf(arrayOf(fewTexts())),
  },
  { engine: 'merge', orderBy: '(tenant, id)', partitionBy: '(tenant, day)', shardBy: 'id' },
)

function batchOf(tenants: readonly string[], count: number): TableBatch<(typeof rows)['columns']> {
  const batch = new TableBatch(rows)
  const { columns } = batch
  for (const tenant of tenants)
    for (let i = 0; i < count; i++) {
      columns.tenant.push(tenant)
      columns.day.push(20_000)
      columns.id.push(2n ** 64n - 1n - BigInt(i))
      columns.key.push(Uint8Array.of(0, 255, i, 10))
      columns.name.push(`ü\0'\\${i}`)
      columns.values.values.push(-(2n ** 63n))
      columns.values.values.push(BigInt(i))
      columns.values.endRow()
      columns.names.values.values.push('x')
      columns.names.values.endRow()
      columns.names.values.endRow()
      columns.names.endRow()
    }
  return batch
}

async function faultOf(work: Promise<unknown>): Promise<EngineFault> {
  const error: unknown = await work.then(
    () => new Error('it worked'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  return (error as EngineError).fault
}

const HEAVY = 'SELECT sum(sipHash64(number)) AS sum FROM numbers(1000000000000)'

describe.each(kinds)('$name', ({ name, layout, open }) => {
  let directory = ''
  let files = ''
  let opened: Opened
  let engine: Engine

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hearth-engine-'))
    files = await mkdtemp(join(tmpdir(), "hearth it's ü \\"))
    opened = await open(directory)
    engine = opened.engine
    await dropTable()
    for (const sql of createTable(rows, layout)) await engine.command(sql)
  })

  afterAll(async () => {
    if (name === SERVER) {
      opened = await open(directory)
      engine = opened.engine
      await dropTable()
    }
    await opened.close()
    await rm(directory, { recursive: true, force: true })
    await rm(files, { recursive: true, force: true })
  })

  async function dropTable(): Promise<void> {
    for (const table of new Set([rows.name, storedName(rows.name, layout)]))
      await engine.command(`DROP TABLE IF EXISTS ${table}${onCluster(layout)} SYNC`)
  }

  const count = async (sql = 'SELECT count() AS n FROM engine_test_rows') =>
    (await engine.select(sql)).column('n').number(0)
  const insert = (source: NativeSource, token: string, sync?: boolean) =>
    engine.insert('engine_test_rows', source, { token, ...(sync === undefined ? {} : { sync }) })

  test('returns values of every type', async () => {
    const response = await engine.select(`SELECT
      toUInt8(255) AS u8, toInt16(-32768) AS i16, toUInt32(4294967295) AS u32, toInt64(-9223372036854775808) AS i64,
      toUInt64(18446744073709551615) AS u64, toUInt128('340282366920938463463374607431768211455') AS u128,
      toInt128(-1) AS i128, toFloat32(0.5) AS f32, -0.1 AS f64, 'ü\\0' AS s, toFixedString('ab', 4) AS fs,
      toDate('2024-02-29') AS d, toDateTime('2024-02-29 00:00:01', 'UTC') AS dt,
      toDateTime64('2024-02-29 00:00:01.123456789', 9, 'UTC') AS dt9, toDateTime64('2024-02-29 00:00:01.5', 3, 'UTC') AS dt3,
      true AS b, toLowCardinality('few') AS lc, NULL AS nothing, toNullable('x') AS some,
      [[1, 2], [], [3]] AS nested, (1, 'two', [toLowCardinality('3')]) AS t, map('k', 1) AS m,
      toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS uuid, CAST('b', 'Enum8(\\'a\\' = 1, \\'b\\' = -2)') AS e,
      [toLowCardinality(toNullable('q')), NULL] AS lcn, emptyArrayString() AS none`)
    const at = (name: string) => response.column(name)
    expect(response.rows).toBe(1)
    expect(['u8', 'i16', 'u32', 'f32', 'f64', 'd', 'b', 'e'].map(name => at(name).number(0))).toEqual([
      255, -32768, 4294967295, 0.5, -0.1, 19782, 1, -2,
    ])
    expect(['i64', 'u64', 'u128', 'i128', 'dt', 'dt9', 'dt3'].map(name => at(name).bigint(0))).toEqual([
      -(2n ** 63n),
      2n ** 64n - 1n,
      2n ** 128n - 1n,
      -1n,
      1709164801_000000000n,
      1709164801_123456789n,
      1709164801_500000000n,
    ])
    expect(['s', 'fs', 'lc', 'some', 'uuid', 'e'].map(name => at(name).text(0))).toEqual([
      'ü\0',
      'ab\0\0',
      'few',
      'x',
      '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
      'b',
    ])
    expect(() => at('u64').number(0)).toThrow(/safe integer/)
    expect(at('nothing').isNull(0)).toBe(true)
    const nested = at('nested')
    expect([nested.from(0), nested.to(0), nested.values.to(0), nested.values.to(1), nested.values.to(2)]).toEqual([
      0, 3, 2, 2, 3,
    ])
    expect([0, 1, 2].map(i => nested.values.values.number(i))).toEqual([1, 2, 3])
    expect(at('t').parts[2].values.text(0)).toBe('3')
    expect(at('m').values.parts[0].text(0)).toBe('k')
    expect([at('lcn').values.isNull(0), at('lcn').values.isNull(1), at('lcn').values.text(0)]).toEqual([
      false,
      true,
      'q',
    ])
    expect(at('none').to(0)).toBe(0)
    expect(() => at('missing')).toThrow(/no column missing/)
  })

  test('returns columns without rows for an empty result', async () => {
    const response = await engine.select('SELECT 1 AS a WHERE 0')
    expect([response.rows, response.column('a').length]).toEqual([0, 0])
  })

  test('returns parameters unchanged, whatever they contain', async () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 20 })
    const nasty = fc.constantFrom(
      "'",
      "\\'",
      '\\',
      '\0',
      "'; DROP TABLE engine_test_rows; --",
      '{a:String}',
      '\t\n\r\b\f',
      '\\x41',
      '\\N',
      '',
    )
    const texts = fc.oneof(anyText, nasty)
    const bytes = fc.uint8Array({ maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(
        texts,
        bytes,
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.array(texts, { maxLength: 4 }),
        fc.array(bytes, { maxLength: 4 }),
        fc.double(),
        async (one, raw, whole, many, raws, double) => {
          const response = await engine.select(
            'SELECT {one:String} AS one, {raw:String} AS raw, {whole:Int64} AS whole, {many:Array(String)} AS many, ' +
              '{raws:Array(String)} AS raws, {double:Float64} AS double',
            { parameters: { one, raw, whole, many, raws, double } },
          )
          expect(response.column('one').text(0)).toBe(one)
          expect([...response.column('raw').bytes(0)]).toEqual([...raw])
          expect(response.column('whole').bigint(0)).toBe(whole)
          expect(many.map((_, i) => response.column('many').values.text(i))).toEqual(many)
          expect(raws.map((_, i) => [...response.column('raws').values.bytes(i)])).toEqual(
            raws.map(value => [...value]),
          )
          expect(response.column('double').number(0)).toBe(double)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('accepts bytes as FixedString and 100,000 numbers as one parameter', async () => {
    const key = Uint8Array.of(0, 39, 92, 255)
    const response = await engine.select('SELECT {key:FixedString(4)} AS key, {keys:Array(FixedString(4))} AS keys', {
      parameters: { key, keys: [key, key] },
    })
    expect([response.column('key').bytes(0), response.column('keys').values.bytes(1)]).toEqual([key, key])
    const ids = Array.from({ length: 100_000 }, (_, i) => BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n))
    const many = await engine.select('SELECT length({ids:Array(UInt64)}) AS n, arraySum({ids:Array(UInt64)}) AS sum', {
      parameters: { ids },
    })
    expect(many.column('n').number(0)).toBe(ids.length)
    expect(many.column('sum').bigint(0)).toBe(
      BigInt.asUintN(
        64,
        ids.reduce((sum, id) => sum + id, 0n),
      ),
    )
  })

  test('does not keep a parameter for the next statement', async () => {
    await engine.select('SELECT {leak:String} AS a', { parameters: { leak: 'secret' } })
    for (let i = 0; i < 8; i++) expect(await faultOf(engine.select('SELECT { leak : String} AS a'))).toBe('refused')
    await expect(engine.select('SELECT 1', { parameters: { 'a; DROP': 1 } })).rejects.toThrow(
      /not a valid parameter name/,
    )
  })

  test('applies limits to one statement only', async () => {
    const settings = `SELECT getSetting('max_execution_time') AS seconds, getSetting('max_memory_usage') AS memory`
    const before = await engine.select(settings)
    expect(await faultOf(engine.select(HEAVY, { maxSeconds: 0.2 }))).toBe('limit')
    const big = 'SELECT length(groupArray(number)) AS n FROM numbers(100000000)'
    expect(await faultOf(engine.select(big, { maxMemoryBytes: 20_000_000 }))).toBe('limit')
    for (let i = 0; i < 6; i++) {
      const after = await engine.select(settings)
      expect(after.column('seconds').number(0)).toBe(before.column('seconds').number(0))
      expect(after.column('memory').bigint(0)).toBe(before.column('memory').bigint(0))
    }
  })

  const running = async (marker: string) =>
    await count(
      `SELECT count() AS n FROM system.processes WHERE query LIKE '%${marker}%' AND query NOT LIKE '%processes%'`,
    )

  test('cancels the query inside the engine when the signal aborts', async () => {
    const stop = new AbortController()
    const work = engine.select(`${HEAVY} /* marker-one */`, { signal: stop.signal })
    const failed = faultOf(work)
    while ((await running('marker-one')) === 0) await new Promise(done => setTimeout(done, 10))
    stop.abort()
    expect(await failed).toBe('cancelled')
    expect(await running('marker-one')).toBe(0)
    expect(await faultOf(engine.select('SELECT 1', { signal: stop.signal }))).toBe('cancelled')
  })

  test('streams blocks and stops when the reader stops', async () => {
    let seen = 0
    let sum = 0
    for await (const block of engine.selectBlocks('SELECT number FROM numbers(200000)')) {
      seen++
      const column = block.column('number')
      for (let row = 0; row < block.rows; row++) sum += column.number(row)
    }
    expect(seen).toBeGreaterThan(1)
    expect(sum).toBe((200_000 * 199_999) / 2)
    const merged = await engine.select(
      'SELECT number, toString(number) AS text, [number] AS list, toLowCardinality(toString(number % 70000)) AS few, ' +
        "nullIf(number, 199998) AS some, toLowCardinality(nullIf(toString(number), '199998')) AS fewOrNone " +
        'FROM numbers(200000)',
    )
    expect([199_999, 65_408, 65_409].map(row => merged.column('few').text(row))).toEqual(['59999', '65408', '65409'])
    for (const column of ['some', 'fewOrNone'])
      expect([199_997, 199_998].map(row => merged.column(column).isNull(row))).toEqual([false, true])
    expect(merged.column('fewOrNone').text(199_999)).toBe('199999')
    expect([merged.rows, merged.column('text').text(199_999), merged.column('list').values.number(150_000)]).toEqual([
      200_000,
      '199999',
      150_000,
    ])
    for await (const block of engine.selectBlocks('SELECT number FROM system.numbers /* marker-two */')) {
      expect(block.rows).toBeGreaterThan(0)
      break
    }
    await expect.poll(() => running('marker-two')).toBe(0)
    const stop = new AbortController()
    const read = async () => {
      for await (const block of engine.selectBlocks('SELECT number FROM system.numbers', { signal: stop.signal }))
        if (block.rows > 0) stop.abort()
    }
    expect(await faultOf(read())).toBe('cancelled')
  })

  test('reports an error that occurs after the first blocks', async () => {
    const read = async () => {
      const sql =
        'SELECT throwIf(number = 900000) AS x, number FROM numbers(1000000) SETTINGS max_block_size = 10000, max_threads = 1'
      for await (const block of engine.selectBlocks(sql)) expect(block.rows).toBeGreaterThan(0)
    }
    const error: unknown = await read().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EngineError)
    expect((error as EngineError).code).toBe(395)
  })

  test('inserts rows once, however often they are sent with one token', async () => {
    const source = await nativeFile(files, batchOf(['a'], 3))
    await insert(source, "token '\\ 1")
    await insert(source, "token '\\ 1")
    expect(await count()).toBe(3)
    const response = await engine.select('SELECT * FROM engine_test_rows ORDER BY id DESC')
    expect(response.column('id').bigint(0)).toBe(2n ** 64n - 1n)
    expect([...response.column('key').bytes(2)]).toEqual([0, 255, 2, 10])
    expect(response.column('name').text(1)).toBe("ü\0'\\1")
    expect(response.column('values').values.bigint(4)).toBe(-(2n ** 63n))
    const names = response.column('names')
    expect([names.from(1), names.to(1), names.values.to(2), names.values.to(3)]).toEqual([2, 4, 2, 2])
    // The next attempt completes an insert that stopped after the first partition.
    await insert(await nativeFile(files, batchOf(['a', 'b'], 3)), "token '\\ 1")
    expect(await count()).toBe(6)
    await insert(source, 'token 2')
    expect(await count()).toBe(9)
  })

  test('remembers a token after the store is reopened', async () => {
    const source = await nativeFile(files, batchOf(['again'], 5))
    await insert(source, 'before')
    const before = await count()
    await opened.close()
    opened = await open(directory)
    engine = opened.engine
    await insert(source, 'before')
    expect(await count()).toBe(before)
  })

  test('inserts into any number of partitions with columns in any order', async () => {
    const tenants = Array.from({ length: 150 }, (_, i) => `tenant ${i}`)
    const source = await nativeFile(files, batchOf(tenants, 1))
    const before = await count()
    await insert({ ...source, columns: source.columns.toReversed() }, 'many')
    expect(await count()).toBe(before + 150)
    await insert({ ...source, columns: ['tenant', 'id'] }, 'few')
    expect(await count(`SELECT count() AS n FROM engine_test_rows WHERE name = ''`)).toBe(150)
  })

  test('stores nothing if a file is broken or missing', async () => {
    const source = await nativeFile(files, batchOf(['broken'], 100))
    const whole = batchOf(['broken'], 100).toNative()
    await writeFile(source.file, whole.subarray(0, whole.length - 10))
    expect(['refused', 'corrupt']).toContain(await faultOf(insert(source, 'broken')))
    expect(await faultOf(insert({ ...source, file: `${source.file}.none` }, 'missing'))).toBe('refused')
    expect(await count(`SELECT count() AS n FROM engine_test_rows WHERE tenant = 'broken'`)).toBe(0)
    expect(await faultOf(engine.insert('no_such_table', source, { token: 'x' }))).toBe('refused')
  })

  test('sets the durability of a table by its inserts', async () => {
    const source = await nativeFile(files, batchOf(['sync'], 1))
    const fsync = () =>
      count(
        `SELECT engine_full LIKE '%fsync_after_insert = 1%' AS n FROM system.tables WHERE name = '${storedName(rows.name, layout)}'`,
      )
    const seen: number[] = []
    for (const sync of [true, true, false]) {
      await insert(source, `sync ${seen.length}`, sync)
      seen.push(await fsync())
    }
    expect(seen).toEqual([1, 1, 0])
  })

  test('rejects invalid statements with their code and never writes on reads', async () => {
    const error: unknown = await engine.select('SELECT * FROM no_such_table').catch((thrown: unknown) => thrown)
    expect([(error as EngineError).fault, (error as EngineError).code]).toEqual(['refused', 60])
    expect(await faultOf(engine.command('CREATE NONSENSE'))).toBe('refused')
    expect(await faultOf(engine.select('TRUNCATE TABLE engine_test_rows'))).toBe('refused')
    expect(await count()).toBeGreaterThan(0)
  })

  test('runs many concurrent statements', async () => {
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => engine.select('SELECT {i:UInt32} AS i', { parameters: { i } })),
    )
    expect(responses.map(response => response.column('i').number(0))).toEqual(Array.from({ length: 40 }, (_, i) => i))
  })

  // Not against a server that may have other tables.
  test.skipIf(name === SERVER)('runs migrations once, resumes interrupted ones and refuses a newer store', async () => {
    const known = migrations.length
    expect(await migrate(engine)).toEqual(migrations.map(({ version }) => version))
    expect(await migrate(engine)).toEqual([])
    const second = {
      version: known + 1,
      name: "adds 'colour'",
      statements: () => [
        'ALTER TABLE requests ADD COLUMN IF NOT EXISTS colour String',
        'ALTER TABLE requests ADD NONSENSE',
      ],
    }
    const list = [{ version: known, name: '', statements: () => [] }, second]
    await expect(migrate(engine, {}, list)).rejects.toThrow(EngineError)
    expect(await schemaVersion(engine)).toBe(known)
    const repaired = [list[0], { ...second, statements: () => second.statements().slice(0, 1) }]
    expect(await migrate(engine, {}, repaired)).toEqual([known + 1])
    expect(await migrate(engine, {}, repaired)).toEqual([])
    const log = await engine.select('SELECT version, name, applied FROM schema_versions ORDER BY version')
    expect([log.rows, log.column('name').text(known)]).toEqual([known + 1, "adds 'colour'"])
    await expect(migrate(engine)).rejects.toThrow(
      `the store has schema ${known + 1}, created by a newer Hearth; this version supports schemas up to ${known}`,
    )
  })

  test('waits in close() for running statements and runs none afterwards', async () => {
    const work = engine.select('SELECT sleep(0.3) AS s')
    await opened.close()
    expect((await work).rows).toBe(1)
    expect(await faultOf(engine.select('SELECT 1'))).toBe('unavailable')
    expect(await faultOf(engine.command('SELECT 1'))).toBe('unavailable')
  })
})

// Tests of the HTTP engine only: addresses, passwords, network failures and the DDL of a cluster.
import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine, EngineError } from '../engine.ts'
import { TableBatch } from '../native/table.ts'
import { allTables } from '../schema/all-tables.ts'
import { createTable } from '../schema/ddl.ts'
import { schemaVersions } from '../schema/migrations.ts'
import { requests } from '../schema/signal-tables.ts'
import type { ClickHouseHttp } from '../testing/clickhouse-http.ts'
import { startClickHouseHttp } from '../testing/clickhouse-http.ts'
import { nativeFile } from '../testing/native-file.ts'
import { parseClickHouseUrl } from './clickhouse-url.ts'
import { openClickHouse } from './clickhouse.ts'

const SECRET = 'hunter2/ü%'

async function errorOf(work: Promise<unknown>): Promise<EngineError> {
  return (await work.then(
    () => new Error('it worked'),
    (error: unknown) => error,
  )) as EngineError
}

describe('addresses', () => {
  test('reads all parts of an address and applies defaults', () => {
    expect(parseClickHouseUrl('clickhouse://me:p%40ss%2F@db.example:9000/metrics?cluster=main&secure=1')).toEqual({
      origin: 'https://db.example:9000',
      user: 'me',
      password: 'p@ss/',
      database: 'metrics',
      cluster: 'main',
      compress: true,
    })
    expect(parseClickHouseUrl('clickhouse://localhost')).toEqual({
      origin: 'http://localhost:8123',
      user: 'default',
      password: '',
      database: 'default',
      cluster: undefined,
      compress: false,
    })
    expect(parseClickHouseUrl('clickhouse://[::1]?secure=true').origin).toBe('https://[::1]:8443')
  })

  test.each([
    ['nonsense', /not a URL/],
    ['http://localhost', /does not start with clickhouse/],
    ['clickhouse:///db', /no host/],
    ['clickhouse://u:hunter2@h/a%20b', /not a valid database name/],
    ['clickhouse://u:hunter2@h/?cluster=a;b', /not a valid cluster name/],
    ['clickhouse://u:hunter2@h/?secure=maybe', /must be 1 or 0/],
    ['clickhouse://u:hunter2@h/?sceure=1', /unknown part "sceure"/],
    ['clickhouse://u:hunter2%zz@h', /password has an invalid %/],
    ['clickhouse://u:hunter2@h:99999', /not a URL/],
  ])('rejects %s without showing the password', (url, message) => {
    expect(() => parseClickHouseUrl(url)).toThrow(message)
    expect(() => parseClickHouseUrl(url)).not.toThrow(/hunter2/)
  })
})

describe('over http', () => {
  let directory = ''
  let server: ClickHouseHttp
  let engine: Engine

  const urlOf = (password: string, more = '') =>
    `clickhouse://hearth:${encodeURIComponent(password)}@127.0.0.1:${server.port}/default${more}`

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hearth-http-'))
    server = await startClickHouseHttp({ directory: join(directory, 'data'), user: 'hearth', password: SECRET })
    engine = await openClickHouse({ url: urlOf(SECRET, '?compress=1') })
  })

  afterAll(async () => {
    await engine.close()
    await server.close()
    await rm(directory, { recursive: true, force: true })
  })

  test('rejects a wrong password without showing it', async () => {
    const error = await errorOf(openClickHouse({ url: urlOf('wrong-password') }))
    expect([error.fault, error.code]).toEqual(['refused', 516])
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain('wrong-password')
  })

  test('reports refused connections, proxy errors and unknown hosts as unavailable', async () => {
    const proxy = createServer((_, response) => response.writeHead(502).end('<html>Bad Gateway</html>'))
    await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done))
    const { port } = proxy.address() as AddressInfo
    const behind = await errorOf(openClickHouse({ url: `clickhouse://u:${SECRET.slice(0, 7)}@127.0.0.1:${port}` }))
    proxy.close()
    proxy.closeAllConnections()
    const closed = await errorOf(openClickHouse({ url: `clickhouse://u:hunter2@127.0.0.1:${port}` }))
    for (const error of [behind, closed]) {
      expect([error.name, error.fault]).toEqual(['EngineError', 'unavailable'])
      expect(error.message).toContain(`127.0.0.1:${port}`)
      expect(error.message).not.toContain('hunter2')
    }
  })

  test('reports a connection that breaks within a response as unavailable', async () => {
    const half = createServer((request, response) => {
      request.resume()
      if (String(request.url).includes('wait_end_of_query')) return void response.end()
      response.write(Buffer.from('0105', 'hex'))
      setTimeout(() => response.destroy(), 20)
    })
    await new Promise<void>(done => half.listen(0, '127.0.0.1', done))
    const broken = await openClickHouse({ url: `clickhouse://127.0.0.1:${(half.address() as AddressInfo).port}` })
    const read = async () => {
      for await (const block of broken.selectBlocks('SELECT 1')) expect(block.rows).toBe(0)
    }
    expect((await errorOf(read())).fault).toBe('unavailable')
    await broken.close()
    half.closeAllConnections()
    half.close()
  })

  test('inserts compressed Native with a token and sends long parameters in the body', async () => {
    for (const sql of createTable(requests, {})) await engine.command(sql)
    const batch = new TableBatch(requests)
    batch.truncate(0)
    const source = await nativeFile(directory, batch)
    await engine.insert('requests', source, { token: 'of its own' })
    const insert = server.statements.findLast(({ sql }) => sql.startsWith('INSERT'))
    expect(insert?.encoding).toBe('gzip')
    expect(insert?.settings).toMatchObject({
      insert_deduplication_token: 'of its own',
      insert_deduplicate: '1',
      async_insert: '0',
      max_partitions_per_insert_block: '0',
    })
    await engine.select('SELECT length({a:String}) AS n', { parameters: { a: 'x'.repeat(10_000) } })
    expect(server.statements.at(-1)?.type).toMatch(/^multipart/)
    await engine.select('SELECT length({a:String}) AS n', { parameters: { a: 'x' } })
    expect(server.statements.at(-1)?.type).not.toMatch(/^multipart/)
    expect(server.statements.at(-1)?.settings).toMatchObject({ readonly: '2', default_format: 'Native' })
  })

  test('cancels queries that hold all connections', async () => {
    const narrow = await openClickHouse({ url: urlOf(SECRET), connections: 1 })
    const stop = new AbortController()
    const heavy = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)'
    const faults = Promise.all([1, 2].map(() => errorOf(narrow.select(heavy, { signal: stop.signal }))))
    setTimeout(() => stop.abort(), 100)
    expect((await faults).map(error => error.fault)).toEqual(['cancelled', 'cancelled'])
    expect((await narrow.select('SELECT 1 AS one')).rows).toBe(1)
    await narrow.close()
  })

  test('writes DDL for a cluster that the engine can parse', async () => {
    const statements = [...allTables, schemaVersions].flatMap(table => createTable(table, { cluster: 'main' }))
    expect(statements).toHaveLength((allTables.length + 1) * 2)
    for (const sql of statements) await engine.command(`EXPLAIN AST ${sql}`)
    expect(statements[0]).toMatch(/^CREATE TABLE IF NOT EXISTS `functions_local` ON CLUSTER `main`\n/)
    expect(statements[0]).toContain(
      "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', last_seen)",
    )
    expect(statements[0]).toContain('replicated_deduplication_window = 10000')
    expect(statements[1]).toBe(
      'CREATE TABLE IF NOT EXISTS `functions` ON CLUSTER `main` AS `functions_local`\n' +
        'ENGINE = Distributed(`main`, currentDatabase(), `functions_local`, id)',
    )
  })
})

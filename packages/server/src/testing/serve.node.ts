// A server in its own process, for tests that kill it. Settings come as JSON in the first argument. Over the channel to its
// parent it reports its ports, runs queries, and slows down its store. It ends with its parent.
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../config/load-config.ts'
import { openLog } from '../observe/log.ts'
import { HearthServer } from '../server.ts'
import { realDisk } from '../store/commit/journal-disk.ts'
import type { Engine } from '../store/engine.ts'
import type { Command, ProcessQuery, ProcessReport } from './server-process.ts'

const flags = JSON.parse(process.argv[2]) as Record<string, string>
const log = openLog({ level: 'info', format: 'json', write: line => void process.stderr.write(line) })
process.on('disconnect', () => process.exit(1))
const ahead = Number(process.env['HEARTH_TEST_CLOCK_AHEAD'] ?? 0)
if (ahead !== 0) {
  const now = Date.now
  Date.now = () => now() + ahead
}

const server = await HearthServer.start({ config: loadConfig({ flags, env: {} }), log, version: 'test' })
const { engine } = server.store

let insertMs = 0
let delays = new AbortController()
const insert: Engine['insert'] = engine.insert.bind(engine)
engine.insert = async (table, source, options) => {
  await sleep(insertMs, undefined, { signal: delays.signal }).catch(() => undefined)
  await insert(table, source, options)
}

let isFull = false
const write = realDisk.write.bind(realDisk)
realDisk.write = async (path, pieces, sync) => {
  if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  await write(path, pieces, sync)
}

process.on('message', (command: Command) => {
  if (command.kind === 'slow') slow(command.insertMs)
  else if (command.kind === 'fill') isFull = command.isFull
  else void run(command)
})

function slow(milliseconds: number): void {
  insertMs = milliseconds
  delays.abort()
  delays = new AbortController()
}

function report(message: ProcessReport): void {
  process.send?.(message)
}

async function run(query: ProcessQuery): Promise<void> {
  const { id } = query
  try {
    report({ kind: 'result', id, rows: query.kind === 'settle' ? await settle() : await select(query.sql) })
  } catch (error) {
    report({ kind: 'result', id, error: (error as Error).message })
  }
}

async function settle(): Promise<readonly string[]> {
  await server.store.settled()
  return []
}

async function select(sql: string): Promise<readonly string[]> {
  const block = await engine.select(`SELECT toString(tuple(*)) AS row FROM (${sql})`)
  return Array.from({ length: block.rows }, (_, row) => block.column('row').text(row))
}

process.once('SIGTERM', () => {
  void server.close().then(
    () => process.exit(0),
    (error: unknown) => {
      log.error({ err: error }, 'shutdown failed')
      process.exit(1)
    },
  )
})
report({ kind: 'ready', ports: server.ports })

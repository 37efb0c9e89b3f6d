// A server as a process of its own, for tests that kill it. Settings come as JSON in the first argument; through the channel
// to its parent it says where it listens, answers queries, and slows its store down. It ends with its parent.
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../config/load-config.ts'
import { openLog } from '../observe/log.ts'
import { HearthServer } from '../server.ts'
import type { Engine } from '../store/engine.ts'
import type { Asked, Query, Told } from './server-process.ts'

const flags = JSON.parse(process.argv[2]) as Record<string, string>
const log = openLog({ level: 'info', format: 'json', write: line => void process.stderr.write(line) })
process.on('disconnect', () => process.exit(1))

const server = await HearthServer.start({ config: loadConfig({ flags, env: {} }), log, version: 'test' })
const { engine } = server.store

let insertMs = 0
const insert: Engine['insert'] = engine.insert.bind(engine)
engine.insert = async (table, source, options) => {
  await sleep(insertMs)
  await insert(table, source, options)
}

process.on('message', (asked: Asked) => {
  if (asked.kind === 'slow') insertMs = asked.insertMs
  else void answer(asked)
})

function tell(told: Told): void {
  process.send?.(told)
}

async function answer(question: Query): Promise<void> {
  const { id } = question
  try {
    tell({ kind: 'answer', id, rows: question.kind === 'settle' ? await settle() : await select(question.sql) })
  } catch (error) {
    tell({ kind: 'answer', id, error: (error as Error).message })
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
      log.error({ err: error }, 'not ended in order')
      process.exit(1)
    },
  )
})
tell({ kind: 'ready', ports: server.ports })

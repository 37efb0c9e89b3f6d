// The entry file of the threads that receive requests: they read contents, and write rows.
import type { ArmedTriggers } from './broker/triggers/trigger-watch.ts'
import { TriggerWatch } from './broker/triggers/trigger-watch.ts'
import { pyroscopeIngestReader } from './pyroscope/ingest/ingest.ts'
import { pyroscopePushReader } from './pyroscope/ingest/push.ts'
import { columnsReader } from './receive/columns-content.ts'
import { pushReader } from './receive/http/push.ts'
import { otlpReader } from './receive/otlp-content.ts'
import { scrapeReader } from './scrape/scrape-content.ts'
import type { WriteThreadData } from './receive/threads/write-thread.ts'
import { writeHandlers } from './receive/threads/write-thread.ts'
import { hostWorker } from './workers/worker-host.ts'

const READERS = {
  ...otlpReader,
  ...columnsReader,
  ...pushReader,
  ...pyroscopePushReader,
  ...pyroscopeIngestReader,
  ...scrapeReader,
}

hostWorker((data: WriteThreadData) => {
  const triggers = new TriggerWatch()
  return writeHandlers(data, READERS, {
    watch: state => triggers.watch(state as ArmedTriggers),
    observe: (tenant, payload) => triggers.observe(tenant, payload),
  })
})

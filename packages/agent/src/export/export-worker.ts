// The thread of thread-transport.ts: compresses and sends payloads, one call at a time.
import { parentPort, workerData } from 'node:worker_threads'
import { gzipNow } from './gzip.ts'
import { openTransport } from './open-transport.ts'
import type { ExportCall, ExportData, ExportMessage } from './thread-transport.ts'

const { destination, url, userAgent } = workerData as ExportData
const port = parentPort!
const post = (message: ExportMessage): void => port.postMessage(message)
const transport = openTransport({ ...destination, url: new URL(url) }, userAgent, problem => post({ problem }))

port.on('message', ({ method, body }: ExportCall) => {
  if (method === 'gzip') post({ result: gzipNow(body) })
  else void transport.send(body).then(result => post({ result }))
})

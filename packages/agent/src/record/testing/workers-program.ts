// Run by recorder.process.test.ts with worker-program.ts as `--import`: the main thread receives the profiles of a worker.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker, isMainThread } from 'node:worker_threads'
import type { Profiles } from '@hearth/profile'
import { encodeOtlp } from '@hearth/profile'
import { receiveFromWorkers } from '../threads/worker-channel.ts'
import { burn } from './burn.ts'

function workOfWorker(): void {
  burn(100)
}

if (isMainThread) {
  const received: Profiles[] = []
  receiveFromWorkers({
    onProfiles: profiles => received.push(profiles),
    onMessage: () => {},
    onProblem: problem => process.stderr.write(problem),
  })
  const worker = new Worker(new URL(import.meta.url), { argv: [process.argv[2]] })
  await once(worker, 'exit')
  for (let i = 0; i < 100 && received.length === 0; i++) await sleep(20)
  if (received.length > 0) writeFileSync(join(process.argv[2], 'worker.otlp'), encodeOtlp(received[0]))
  process.stdout.write(`received ${received.length}\n`)
} else {
  workOfWorker()
}

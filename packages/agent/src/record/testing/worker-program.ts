// Run by recorder.test.ts: a worker that is recorded, hands over its profiles while it runs and when it ends. This module
// is loaded by `--import`, in the main thread and, as Node passes that on, in the worker.
import { isMainThread } from 'node:worker_threads'
import { Recorder } from '../recorder.ts'
import { handToMain, mainThreadReceives } from '../threads/worker-channel.ts'
import { OPTIONS } from './options.ts'

if (!isMainThread && mainThreadReceives()) {
  const recorder = await Recorder.start(OPTIONS)
  process.once('exit', () => {
    const last = recorder.stopNow()
    if (last !== undefined) handToMain(last)
  })
}

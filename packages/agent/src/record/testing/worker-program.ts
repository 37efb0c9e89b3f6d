// Run by recorder.process.test.ts: a recorded worker that sends its profiles while it runs and when it ends. This module is
// loaded by `--import` in the main thread and, because Node passes that on, in the worker.
import { isMainThread } from 'node:worker_threads'
import { Recorder } from '../recorder.ts'
import { sendToMain, mainThreadReceives } from '../threads/worker-channel.ts'
import { OPTIONS } from './options.ts'

if (!isMainThread && mainThreadReceives()) {
  const recorder = await Recorder.start(OPTIONS)
  process.once('exit', () => {
    const last = recorder.stopNow()
    if (last !== undefined) sendToMain(last)
  })
}

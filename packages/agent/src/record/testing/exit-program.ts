// Run by recorder.process.test.ts: a process that calls `exit` during work, under a span and with pending timers.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeOtlp } from '@hearth/profile'
import { Recorder } from '../recorder.ts'
import { burn } from './burn.ts'
import { OPTIONS } from './options.ts'

const recorder = await Recorder.start({ ...OPTIONS, kinds: ['cpu', 'wall', 'heap', 'events'], sourceMaps: true })
process.once('exit', () => {
  const last = recorder.stopNow()
  if (last !== undefined) writeFileSync(join(process.argv[2], 'stop.otlp'), encodeOtlp(last))
})
setInterval(() => {}, 1000)
function lastWork(): void {
  burn(80)
}
lastWork()
// Never completes.
void recorder.collect()
process.exit(7)

// Run by recorder.process.test.ts: a capture at another rate than the recorder's, and work before, during and after it. With
// the argument `fallback` the native module cannot be loaded.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Profiles } from '@hearth/profile'
import { encodeOtlp } from '@hearth/profile'
import { ProcessCaptures } from '../threads/process-captures.ts'
import { Recorder } from '../recorder.ts'
import { burn } from './burn.ts'
import { loaderOf } from './loader-of.ts'
import { OPTIONS } from './options.ts'

const [, , folder, mode] = process.argv

function write(name: string, profiles: Profiles | undefined): void {
  if (profiles !== undefined) writeFileSync(join(folder, `${name}.otlp`), encodeOtlp(profiles))
}

const nowNanos = (): bigint => BigInt(Date.now()) * 1_000_000n

const recorder = await Recorder.start({ ...OPTIONS, kinds: ['wall'] }, loaderOf(mode))
const captures = new ProcessCaptures(recorder, 60)
const from = nowNanos()
workBefore()
function workBefore(): void {
  burn(100)
}
const capture = captures.begin({ kinds: ['wall'], frequencyHz: 500 })
await capture.begun
workDuring()
function workDuring(): void {
  burn(100)
}
write('capture', (await capture.read({ kinds: ['wall'], from, until: nowNanos() }, 0)).build())
capture.end()
// The rate is the old one again when this is written.
write('collect', await recorder.collect())
workAfter()
function workAfter(): void {
  burn(100)
}
write('stop', await recorder.stop())
captures.close()

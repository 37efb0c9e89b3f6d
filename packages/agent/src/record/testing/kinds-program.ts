// Run by recorder.process.test.ts: every kind of profile at once, with compiled code. With the argument `fallback` the native
// module cannot be loaded. With `allocations`, allocations are recorded instead of the live heap.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { encodeOtlp } from '@hearth/profile'
import { Recorder } from '../recorder.ts'
import { burn } from './burn.ts'
import { loaderOf } from './loader-of.ts'
import { OPTIONS } from './options.ts'

const [, , folder, mode] = process.argv

/** `busyWork` of src/work.ts, line 5, as `b`. The map is beside the script or inside it. */
const SCRIPT =
  'export function b(n){const s=process.cpuUsage();let x=0;while(process.cpuUsage(s).user<n*1e3)x+=Math.sqrt(x);return x}\n'
// Columns 0, 16 (the name) and 17 (the parameters) of the script: line 5, columns 0, 16 (`busyWork`) and 24.
const MAP = JSON.stringify({
  version: 3,
  sources: ['src/work.ts'],
  names: ['busyWork'],
  mappings: 'AAIA,gBAAgBA,CAAQ',
})

async function load(name: string, url: string): Promise<(millis: number) => number> {
  mkdirSync(join(folder, name))
  const script = join(folder, name, 'app.mjs')
  writeFileSync(script, `${SCRIPT}//# sourceMappingURL=${url}\n`)
  writeFileSync(join(folder, name, 'app.mjs.map'), MAP)
  const { b } = (await import(pathToFileURL(script).href)) as { b: (millis: number) => number }
  return b
}

const recorder = await Recorder.start(
  { ...OPTIONS, kinds: ['cpu', 'wall', mode === 'allocations' ? mode : 'heap', 'events'], sourceMaps: true },
  loaderOf(mode),
)
const beside = await load('beside', 'app.mjs.map')
const inline = await load('inline', `data:application/json;base64,${Buffer.from(MAP).toString('base64')}`)
beside(80)
inline(80)

const kept: object[] = []
function keepAlive(): void {
  for (let i = 0; i < 100_000; i++) kept.push({ i, text: `${i}` })
}
keepAlive()
makeGarbage()
function makeGarbage(): void {
  for (let i = 0; i < 500_000; i++) (globalThis as Record<string, unknown>)['garbage'] = [i, i + 1, i + 2]
}
await sleep(60)
blockLoop()
function blockLoop(): void {
  burn(200)
}
await sleep(60)
;(globalThis as unknown as { gc(): void }).gc()
await sleep(20)

const collected = await recorder.collect()
if (collected !== undefined) writeFileSync(join(folder, 'collect.otlp'), encodeOtlp(collected))
afterCollect()
function afterCollect(): void {
  burn(60)
}
const last = await recorder.stop()
if (last !== undefined) writeFileSync(join(folder, 'stop.otlp'), encodeOtlp(last))
process.stdout.write(JSON.stringify({ missing: recorder.missing, kept: kept.length }))

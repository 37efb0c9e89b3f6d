// Run by ledger.process.test.ts in a separate process: a service whose time ledger is known by construction. Each span does one thing.
// Writes the profiles of the main thread and of a worker, the spans, and how long each thing took by the program's own clock.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker, isMainThread, workerData } from 'node:worker_threads'
import { encodeOtlp } from '@hearth/profile'
import { trace } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { Recorder } from '../recorder.ts'
import { burn } from './burn.ts'
import { OPTIONS } from './options.ts'

interface Sdk {
  readonly startTime: readonly [number, number]
  readonly endTime: readonly [number, number]
}

const folder = process.argv[2]
const parts: object[] = []
const nanos = ([seconds, rest]: readonly [number, number]): string =>
  String(BigInt(seconds) * 1_000_000_000n + BigInt(rest))

const recorder = await Recorder.start({ ...OPTIONS, kinds: ['cpu', 'wall', 'events', 'waits'], sampleRateHz: 100 })
new NodeTracerProvider().register()
const tracer = trace.getTracer('test')

/** The CPU time of this thread in nanoseconds. Only Linux tells that of a thread: elsewhere, it is that of the process. */
function cpuNanos(): number {
  if (process.platform === 'linux') return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0])
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/**
 * Runs the work in a span. Notes how long it took, how long the event loop was idle meanwhile, the CPU time of the thread, and how long it
 * took with everything around it: the system may stop the thread between two calls.
 */
async function part(name: string, kind: string, work: () => Promise<void> | void): Promise<void> {
  const from = performance.now()
  await tracer.startActiveSpan(name, async span => {
    const [before, loop] = [cpuNanos(), performance.eventLoopUtilization()]
    const begun = performance.now()
    await work()
    const took = performance.now() - begun
    const { idle } = performance.eventLoopUtilization(loop)
    const cpu = cpuNanos() - before
    span.end()
    const { traceId, spanId } = span.spanContext()
    const { startTime, endTime } = span as unknown as Sdk
    const times = { nanos: took * 1e6, around: (performance.now() - from) * 1e6, idle: idle * 1e6, cpu }
    parts.push({ name, kind, ...times, traceId, spanId, start: nanos(startTime), end: nanos(endTime) })
  })
}

async function write(name: string): Promise<void> {
  // The last sample stands for the time before it.
  await sleep(30)
  const profiles = await recorder.stop()
  if (profiles !== undefined) writeFileSync(join(folder, `${name}.otlp`), encodeOtlp(profiles))
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(parts))
}

/** Otherwise V8 may collect the garbage of what came before in the middle of a wait. */
function collectFirst(): void {
  globalThis.gc?.()
}

function burnCpu(): void {
  burn(300)
}

function collectGarbage(): void {
  const kept: object[] = []
  for (let i = 0; i < 200_000; i++) kept.push({ i })
  for (let i = 0; i < 5; i++) globalThis.gc?.()
}

function acquireLock(lock: Int32Array): void {
  Atomics.wait(lock, 0, 0)
}

if (isMainThread) {
  await part('burn', 'own-cpu', burnCpu)
  collectFirst()
  await part('timer', 'io', async () => await sleep(150))
  collectFirst()
  const victim = part('victim', 'others', async () => await sleep(10))
  const culprit = part('culprit', 'own-cpu', burnCpu)
  await Promise.all([victim, culprit])
  await part('collect', 'runtime', collectGarbage)
  const lock = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL(import.meta.url), { argv: [folder], workerData: lock })
  // The worker sets the second number when it is about to wait.
  while (Atomics.load(lock, 1) === 0) await sleep(1)
  await sleep(200)
  Atomics.store(lock, 0, 1)
  Atomics.notify(lock, 0)
  await once(worker, 'exit')
  await write('main')
} else {
  const lock = workerData as Int32Array
  // Lets the profiler take its first sample.
  burn(50)
  collectFirst()
  await part('lock', 'lock', () => {
    Atomics.store(lock, 1, 1)
    acquireLock(lock)
  })
  burn(50)
  await write('worker')
}

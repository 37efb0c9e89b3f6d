// Run by recorder.process.test.ts in a separate process: work under spans with every kind of asynchronous continuation. The
// names of functions say which span they belong to. Writes the recorded profiles to the given folder.
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import type { Profiles } from '@hearth/profile'
import { encodeOtlp } from '@hearth/profile'
import type { Span } from '@opentelemetry/api'
import { context, propagation, trace } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { Recorder } from '../recorder.ts'
import { captureOf } from './capture-of.ts'
import { burn } from './burn.ts'
import { OPTIONS } from './options.ts'

const folder = process.argv[2]
const ids: Record<string, { readonly traceId: string; readonly spanId: string }> = {}

function write(name: string, profiles: Profiles | undefined): void {
  if (profiles !== undefined) writeFileSync(join(folder, `${name}.otlp`), encodeOtlp(profiles))
}

function note(name: string, span: Span): void {
  const { traceId, spanId } = span.spanContext()
  ids[name] = { traceId, spanId }
}

const recorder = await Recorder.start({
  ...OPTIONS,
  spanAttributes: ['http.route', 'span.name'],
  baggageKeys: ['tenant'],
})

// After the recorder, like an application that starts its SDK itself, and without an event loop turn in between.
new NodeTracerProvider().register()
const tracer = trace.getTracer('test')
tracer.startActiveSpan('sync', span => {
  note('sync', span)
  workOfSync()
  span.end()
})
function workOfSync(): void {
  burn(60)
}
// The SDK reads the wall clock before its steady clock. If the thread waits between the reads, the end of the span is too
// early.
const clock = Date.now
Date.now = () => clock() - 20
tracer.startActiveSpan('late', span => {
  Date.now = clock
  note('late', span)
  workOfLate()
  span.end()
})
function workOfLate(): void {
  burn(60)
}
burnOfNobody()
function burnOfNobody(): void {
  burn(60)
}

function workOfA(): void {
  burn(15)
}
function workOfB(): void {
  burn(15)
}

async function request(name: string, work: () => void): Promise<void> {
  const baggage = propagation.createBaggage({ tenant: { value: `tenant-${name}` } })
  const outer = propagation.setBaggage(context.active(), baggage)
  await tracer.startActiveSpan(name, {}, outer, async span => {
    note(name, span)
    const emitter = new EventEmitter()
    for (let i = 0; i < 5; i++) {
      work()
      await sleep(1)
      work()
      await immediate()
      work()
      await Promise.resolve()
      await new Promise<void>(resolve => {
        setTimeout(() => {
          work()
          resolve()
        }, 1)
      })
      emitter.once('go', work)
      setTimeout(() => emitter.emit('go'), 1)
      await once(emitter, 'go')
    }
    // Known only after the request was routed.
    span.setAttribute('http.route', `/${name}`)
    span.end()
  })
}
await Promise.all([request('A', workOfA), request('B', workOfB)])

// Work that continues in the context of an ended span.
await tracer.startActiveSpan('ended', async span => {
  note('ended', span)
  workOfEnded()
  span.end()
  await sleep(30)
  workAfterEnd()
})
function workOfEnded(): void {
  burn(60)
}
function workAfterEnd(): void {
  burn(60)
}

const now = BigInt(Date.now()) * 1_000_000n
write('capture', await captureOf(recorder, { from: now - 60_000_000_000n, until: now, ...ids['A'] }))
write('collect', await recorder.collect())
writeFileSync(join(folder, 'ids.json'), JSON.stringify(ids))
write('stop', await recorder.stop())
// Without the recorder, spans work as before.
await request('C', () => {})
process.stdout.write('done\n')

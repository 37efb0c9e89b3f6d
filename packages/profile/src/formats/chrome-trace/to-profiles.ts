// Converts a trace to the model: one resource per process, with one profile for each kind of recorded content.
import type { KeyValue } from '../../model/columns/any-value.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { EventSamples } from '../recordings/event-samples.ts'
import type { NoteList } from '../format.ts'
import { FormatError } from '../format.ts'
import { COUNT, CPU_TYPE, NANOSECONDS, PROCESS_NAME, SAMPLES_TYPE, SCOPE_NAME, WALL_TYPE } from './attribute-names.ts'
import { eachInterval, firstTime } from './spans.ts'
import { StackTrie } from './stack-trie.ts'
import type { TraceProcess, TraceThread, Trace } from './trace.ts'
import type { Id } from './event-id.ts'
import type { V8Profile } from './v8-profile.ts'
import { addV8Samples } from './v8-samples.ts'

export interface TraceOptions {
  readonly notes: NoteList
  /** The size of the file. */
  readonly bytes: number
}

export function addTrace(builder: ProfilesBuilder, trace: Trace, options: TraceOptions): void {
  const writer = new TraceWriter(builder, trace, options)
  const samples = writer.frameSamples()
  let isEmpty = true
  for (const process of trace.processes) if (writer.process(process, samples.get(process))) isEmpty = false
  if (isEmpty) {
    builder.scope({ name: SCOPE_NAME })
    builder.profile({ type: WALL_TYPE, unit: NANOSECONDS })
  }
}

class TraceWriter {
  readonly #builder: ProfilesBuilder
  readonly #trace: Trace
  readonly #options: TraceOptions
  readonly #trie: StackTrie
  readonly #sets = new SequenceInterner()
  readonly #threadSets = new Map<TraceThread, number>()

  constructor(builder: ProfilesBuilder, trace: Trace, options: TraceOptions) {
    this.#builder = builder
    this.#trace = trace
    this.#options = options
    this.#trie = new StackTrie(builder, options.bytes)
    this.#sets.intern(new Int32Array(0), 0, 0)
  }

  /** Returns false if the trace has no content for the process. */
  process(process: TraceProcess, samples: EventSamples | undefined): boolean {
    const wall = this.#wall(process)
    const cpu = this.#cpu(process)
    if (wall.length === 0 && cpu.length === 0 && samples === undefined) return false
    const builder = this.#builder
    const attributes: KeyValue[] = []
    if (process.id !== undefined) attributes.push({ key: ATTRIBUTES.processPid, value: idValue(process.id) })
    if (process.name !== '') attributes.push({ key: PROCESS_NAME, value: process.name })
    builder.resource({ attributes })
    builder.scope({ name: SCOPE_NAME })
    this.#profile(WALL_TYPE, NANOSECONDS, wall)
    this.#profile(CPU_TYPE, NANOSECONDS, cpu)
    if (samples !== undefined) this.#profile(SAMPLES_TYPE, COUNT, samples)
    return true
  }

  /** Adds the samples that refer to a stack frame, by process. */
  frameSamples(): Map<TraceProcess, EventSamples> {
    const byProcess = new Map<TraceProcess, EventSamples>()
    const nodes = new Map<string, number>()
    let unknown = 0
    for (const { process, thread, time, weight, frame } of this.#trace.samples) {
      const node = this.#frameNode(frame, nodes)
      if (node === NONE) {
        unknown++
        continue
      }
      let samples = byProcess.get(process)
      if (samples === undefined) byProcess.set(process, (samples = new EventSamples(true, true)))
      const at = time < 0n ? 0n : time
      samples.add(this.#stack(node), this.#set(thread), lowHalf(weight), highHalf(weight), lowHalf(at), highHalf(at))
    }
    this.#options.notes.add('unknown-frames', 'samples whose stack frame does not exist are skipped', unknown)
    return byProcess
  }

  #frameNode(id: string, nodes: Map<string, number>): number {
    const path: string[] = []
    let at: string | undefined = id
    while (at !== undefined && !nodes.has(at)) {
      const frame = this.#trace.frames.get(at)
      if (frame === undefined) {
        if (path.length === 0) return NONE
        this.#options.notes.addDamage('lost-parents', 'stacks are truncated at callers that the file does not contain')
        at = undefined
        break
      }
      path.push(at)
      at = frame.parent
      if (path.length <= this.#trace.frames.size) continue
      // A frame that is its own caller has no root. Each frame of the cycle counts once.
      path.length = new Set(path).size
      this.#options.notes.addDamage('lost-parents', 'stacks are truncated at callers that the file does not contain')
      at = undefined
    }
    let node = at === undefined ? NONE : (nodes.get(at) ?? NONE)
    for (let step = path.pop(); step !== undefined; step = path.pop()) {
      node = this.#trie.child(node, this.#trace.frames.get(step)?.location ?? 0)
      nodes.set(step, node)
    }
    return node
  }

  #wall(process: TraceProcess): EventSamples {
    const samples = new EventSamples(true, true)
    for (const thread of process.threads) {
      if (thread.times.length === 0) continue
      const base = firstTime(thread)
      if (base < 0n) this.#options.notes.add('negative-times', 'times before 0 are set to 0')
      const baseLo = base < 0n ? 0 : lowHalf(base) >>> 0
      const baseHi = base < 0n ? 0 : highHalf(base)
      const set = this.#set(thread)
      eachInterval(thread, base, this.#trie, this.#options.notes, (node, from, until) => {
        const value = until - from
        const low = baseLo + (from % 2 ** 32)
        const high = baseHi + Math.floor(from / 2 ** 32) + (low >= 2 ** 32 ? 1 : 0)
        samples.add(this.#stack(node), set, value | 0, Math.floor(value / 2 ** 32) | 0, low | 0, high | 0)
      })
      thread.forgetEvents()
    }
    return samples
  }

  #cpu(process: TraceProcess): EventSamples {
    const samples = new EventSamples(true, true)
    const byThread = new Map<Id, V8Profile[]>()
    for (const profile of process.v8Profiles) {
      const list = byThread.get(profile.thread)
      if (list === undefined) byThread.set(profile.thread, [profile])
      else list.push(profile)
    }
    for (const [thread, profiles] of byThread) {
      addV8Samples(profiles, this.#set(process.thread(thread)), samples, this.#options.notes)
    }
    return samples
  }

  #stack(node: number): number {
    const stack = this.#trie.stack(node)
    if (stack === undefined) throw new FormatError('chrome-trace', 0, 'the stacks of the events are too large')
    return stack
  }

  #set(thread: TraceThread): number {
    let set = this.#threadSets.get(thread)
    if (set !== undefined) return set
    const attributes: number[] = []
    if (thread.id !== undefined) attributes.push(this.#builder.attribute(ATTRIBUTES.threadId, idValue(thread.id)))
    if (thread.name !== '') attributes.push(this.#builder.attribute(ATTRIBUTES.threadName, thread.name))
    set = this.#sets.intern(Int32Array.from(attributes), 0, attributes.length)
    this.#threadSets.set(thread, set)
    return set
  }

  #profile(type: string, unit: string, samples: EventSamples): void {
    const range = samples.range()
    if (range === undefined) return
    const { first, last } = range
    this.#builder.profile({ type, unit, timeUnixNano: first, durationNano: last - first + 1n })
    samples.writeTo(this.#builder, this.#sets)
  }
}

function idValue(id: number | string): bigint | string | number {
  if (typeof id === 'string') return id
  return Number.isSafeInteger(id) ? BigInt(id) : id
}

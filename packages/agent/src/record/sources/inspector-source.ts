// Replaces the native profiler where it cannot be loaded: node:inspector controls the same V8 profilers. It is slower, and has
// neither CPU times nor spans. It also provides what only the inspector can. A session of the same thread responds before `post` returns.
import { Session } from 'node:inspector'
import type { HeapProfiler, Profiler, Runtime } from 'node:inspector'
import type { FrameTable } from '../samples/frame-table.ts'
import { IDLE } from '../samples/frame-table.ts'
import type { HeapSnapshot, HeapSource } from './heap-source.ts'
import type { V8Node } from './native-module.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'
import { BatchDraft } from '../samples/sample-batch.ts'
import type { TimeSource } from './time-source.ts'

export class InspectorTime implements TimeSource {
  readonly missing = [
    'span links: without the native profiler, samples have no trace and span ids',
    'cpu: without the native profiler, CPU time is the time in which the thread was not idle, system calls included',
    'cpu: without the native profiler, threads that run no JavaScript are not counted',
    'cpu, wall: without the native profiler, the milliseconds of each collection are missing',
  ]
  readonly #session = new Session()
  #periodNanos = 0
  #from = 0

  constructor(sampleRateHz: number) {
    this.#session.connect()
    post(this.#session, 'Profiler.enable')
    this.#start(sampleRateHz)
  }

  ready(): Promise<void> {
    return Promise.resolve()
  }

  pull(frames: FrameTable): SampleBatch {
    const batch = this.#take(frames)
    this.#start()
    return batch
  }

  changeRate(sampleRateHz: number, frames: FrameTable): SampleBatch {
    const batch = this.#take(frames)
    this.#start(sampleRateHz)
    return batch
  }

  stop(frames: FrameTable): SampleBatch {
    const batch = this.#take(frames)
    this.#session.disconnect()
    return batch
  }

  #start(sampleRateHz?: number): void {
    if (sampleRateHz !== undefined) {
      const interval = Math.max(1, Math.round(1e6 / sampleRateHz))
      this.#periodNanos = interval * 1000
      post(this.#session, 'Profiler.setSamplingInterval', { interval })
    }
    post(this.#session, 'Profiler.start')
    this.#from = Date.now() * 1000
  }

  #take(frames: FrameTable): SampleBatch {
    const { profile } = post(this.#session, 'Profiler.stop') as Profiler.StopReturnType
    const until = Date.now() * 1000
    const draft = new BatchDraft(frames)
    const rows = addTree(draft, profile.nodes, frames)
    const idle = frames.special(IDLE)
    // V8's clock starts with the machine.
    const shift = until - profile.endTime
    const { samples = [], timeDeltas = [] } = profile
    let time = profile.startTime
    for (const [i, id] of samples.entries()) {
      const delta = timeDeltas[i] ?? 0
      time += delta
      const row = rows.get(id)
      if (row === undefined) continue
      draft.addSample(Math.round(time + shift), row, 0, draft.frame[row] === idle ? 0 : Math.max(0, delta) * 1000)
    }
    return draft.finish({ from: this.#from, until, lastSample: this.#from, periodNanos: this.#periodNanos })
  }
}

export class InspectorHeap implements HeapSource {
  readonly missing = ['heap: without the native profiler, object counts are not recorded']
  readonly #session = new Session()

  constructor(intervalBytes: number) {
    this.#session.connect()
    post(this.#session, 'HeapProfiler.enable')
    post(this.#session, 'HeapProfiler.startSampling', { samplingInterval: intervalBytes })
  }

  snapshot(frames: FrameTable): HeapSnapshot {
    const response = post(this.#session, 'HeapProfiler.getSamplingProfile')
    return snapshotOf('inuse', (response as HeapProfiler.GetSamplingProfileReturnType).profile, frames)
  }

  stop(): void {
    post(this.#session, 'HeapProfiler.stopSampling')
    this.#session.disconnect()
  }
}

/** Samples all allocations, including freed ones. Only the inspector can start V8's sampling that way. */
export class InspectorAllocations implements HeapSource {
  readonly missing: readonly string[] = []
  readonly #session = new Session()
  readonly #intervalBytes: number

  constructor(intervalBytes: number) {
    this.#intervalBytes = intervalBytes
    this.#session.connect()
    post(this.#session, 'HeapProfiler.enable')
    this.#start()
  }

  /** V8 keeps all samples until it is stopped, so it restarts each time. */
  snapshot(frames: FrameTable): HeapSnapshot {
    const response = post(this.#session, 'HeapProfiler.stopSampling')
    this.#start()
    return snapshotOf('alloc', (response as HeapProfiler.StopSamplingReturnType).profile, frames)
  }

  stop(): void {
    post(this.#session, 'HeapProfiler.stopSampling')
    this.#session.disconnect()
  }

  #start(): void {
    post(this.#session, 'HeapProfiler.startSampling', {
      samplingInterval: this.#intervalBytes,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    })
  }
}

function snapshotOf(
  what: HeapSnapshot['what'],
  { head }: HeapProfiler.SamplingHeapProfile,
  frames: FrameTable,
): HeapSnapshot {
  const parent: number[] = []
  const frame: number[] = []
  const bytes: number[] = []
  const nodes = [...head.children]
  const parents: number[] = nodes.map(() => -1)
  while (nodes.length > 0) {
    const node = nodes.pop()!
    parent.push(parents.pop()!)
    const row = frame.push(frames.rowOf(nodeOf(node.callFrame))) - 1
    bytes.push(node.selfSize)
    for (const child of node.children) {
      nodes.push(child)
      parents.push(row)
    }
  }
  return { what, frames, parent, frame, bytes, objects: undefined }
}

/** Returns the rows of the draft's tree by node id. */
function addTree(
  draft: BatchDraft,
  nodes: readonly Profiler.ProfileNode[],
  frames: FrameTable,
): ReadonlyMap<number, number> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const rows = new Map<number, number>()
  // The root comes first and is not a frame.
  const waiting = [...(nodes[0]?.children ?? [])]
  const parents: number[] = waiting.map(() => -1)
  while (waiting.length > 0) {
    const node = byId.get(waiting.pop()!)
    const parent = parents.pop()!
    if (node === undefined) continue
    const row = draft.addNode(parent, frames.rowOf(nodeOf(node.callFrame)))
    rows.set(node.id, row)
    for (const child of node.children ?? []) {
      waiting.push(child)
      parents.push(row)
    }
  }
  return rows
}

/** The protocol counts lines and columns from 0. -1 means none. */
function nodeOf({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame): V8Node {
  return {
    name: functionName,
    scriptName: url,
    lineNumber: lineNumber + 1,
    columnNumber: columnNumber + 1,
  }
}

function post(session: Session, method: string, params: object = {}): unknown {
  let failure: Error | undefined
  let response: unknown
  let hasResponse = false
  session.post(method, params, (error, result) => {
    hasResponse = true
    if (error !== null) failure = new Error(`${method}: ${error.message}`)
    response = result
  })
  if (failure !== undefined) throw failure
  if (!hasResponse) throw new Error(`${method}: no response`)
  return response
}

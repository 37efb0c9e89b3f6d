// Heap profiles come from V8's allocation sampling. It reports either the live objects or all allocations, depending on how it
// was started. A thread can have only one of the two, so there are two kinds of profiles: `heap` and `allocations`. (Node 26
// can report both, but needs a full garbage collection each time.)
import type { Frames, FrameTable } from '../samples/frame-table.ts'
import type { AllocationNode, NativeModule } from './native-module.ts'

/** Deeper stacks are truncated at the root. V8's default is 16. */
const STACK_DEPTH = 64

export interface HeapSnapshot<F extends Frames = FrameTable> {
  /** Live now, or allocated since the last snapshot. */
  readonly what: 'inuse' | 'alloc'
  readonly frames: F
  /** The call tree: a node's parent always comes before it. */
  readonly parent: readonly number[]
  readonly frame: readonly number[]
  /** Self bytes of the node. */
  readonly bytes: readonly number[]
  /** Undefined if only bytes are known. */
  readonly objects: readonly number[] | undefined
}

export interface HeapSource {
  readonly missing: readonly string[]
  snapshot(frames: FrameTable): HeapSnapshot
  stop(): void
}

export const ONE_OF_TWO = 'V8 samples live objects or all allocations, not both'

export class NativeHeap implements HeapSource {
  readonly missing: readonly string[] = []
  readonly #heap: NativeModule['heap']

  constructor(native: NativeModule, intervalBytes: number) {
    this.#heap = native.heap
    this.#heap.start(intervalBytes, STACK_DEPTH)
  }

  snapshot(frames: FrameTable): HeapSnapshot {
    const snapshot = {
      what: 'inuse' as const,
      frames,
      parent: [] as number[],
      frame: [] as number[],
      bytes: [] as number[],
      objects: [] as number[],
    }
    const nodes: AllocationNode[] = [...this.#heap.v8Profile().children]
    const parents: number[] = nodes.map(() => -1)
    while (nodes.length > 0) {
      const node = nodes.pop()!
      snapshot.parent.push(parents.pop()!)
      const row = snapshot.frame.push(frames.rowOf(node)) - 1
      let bytes = 0
      let objects = 0
      for (const { sizeBytes, count } of node.allocations) {
        bytes += sizeBytes * count
        objects += count
      }
      snapshot.bytes.push(bytes)
      snapshot.objects.push(objects)
      for (const child of node.children) {
        nodes.push(child)
        parents.push(row)
      }
    }
    return snapshot
  }

  stop(): void {
    this.#heap.stop()
  }
}

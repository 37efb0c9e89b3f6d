// Builds a call tree from stacks in time order. Calls that the next stack contains continue, all others end.
import type { CallTree, FrameTable } from '@hearth/profile'
import { ROOT } from '@hearth/profile'

/** 36 bytes each, which fits the memory of a browser tab. */
const MAX_CALLS = 8_000_000

export class CallRecorder {
  #length = 0
  #parent = new Int32Array(1024)
  #end = new Uint32Array(1024)
  #depth = new Uint32Array(1024)
  #frame = new Uint32Array(1024)
  #start = new Float64Array(1024)
  #total = new Float64Array(1024)
  /** Calls that have not ended, outermost first. */
  readonly #open: number[] = []
  #until = 0

  /**
   * Observations must be in time order and must not overlap. Calls continue across a gap of at most `bridge`. Returns
   * false if the limit is reached.
   */
  observe(path: Uint32Array, length: number, from: number, until: number, bridge: number): boolean {
    const open = this.#open
    const isGap = from - this.#until > bridge || length === 0
    let same = 0
    if (!isGap) while (same < open.length && same < length && this.#frame[open[same]] === path[same]) same++
    // A call ends when the next stack is seen, or at the start of a gap.
    this.#close(same, isGap ? this.#until : from)
    if (this.#length + length - same > MAX_CALLS) return false
    for (let depth = same; depth < length; depth++) this.#begin(path[depth], depth, from)
    this.#until = until
    return true
  }

  end(): void {
    this.#close(0, this.#until)
  }

  /** `whole` is used if it is longer than the observed time. */
  tree(frames: FrameTable, whole: number): CallTree {
    this.end()
    const length = this.#length
    const parent = this.#parent.slice(0, length)
    const total = this.#total.slice(0, length)
    const self = total.slice()
    let sum = 0
    for (let i = 0; i < length; i++) {
      if (parent[i] === ROOT) sum += total[i]
      else self[parent[i]] -= total[i]
    }
    return {
      length,
      parent,
      end: this.#end.slice(0, length),
      depth: this.#depth.slice(0, length),
      frame: this.#frame.slice(0, length),
      frames,
      order: 'root-first',
      unit: 'ns',
      self,
      total,
      selfExact: undefined,
      totalExact: undefined,
      sum: BigInt(Math.round(sum)),
      before: undefined,
      hiddenNodes: 0,
      times: { start: this.#start.slice(0, length), whole: Math.max(whole, this.#until) },
    }
  }

  #begin(frame: number, depth: number, from: number): void {
    const i = this.#length++
    if (i === this.#frame.length) this.#grow()
    this.#parent[i] = depth === 0 ? ROOT : this.#open[depth - 1]
    this.#depth[i] = depth
    this.#frame[i] = frame
    this.#start[i] = from
    this.#open[depth] = i
  }

  #close(depth: number, until: number): void {
    const open = this.#open
    while (open.length > depth) {
      const i = open.pop()!
      this.#end[i] = this.#length
      this.#total[i] = until - this.#start[i]
    }
  }

  #grow(): void {
    const size = this.#frame.length * 2
    const grown = <T extends { set(from: T): void }>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.#parent = grown(new Int32Array(size), this.#parent)
    this.#end = grown(new Uint32Array(size), this.#end)
    this.#depth = grown(new Uint32Array(size), this.#depth)
    this.#frame = grown(new Uint32Array(size), this.#frame)
    this.#start = grown(new Float64Array(size), this.#start)
    this.#total = grown(new Float64Array(size), this.#total)
  }
}

// A trie over frames: every distinct path from a root is one node. A parent has a lower number than its children, so one
// backward pass sums up subtrees.
//
//   paths          main run gc | main idle
//   node           0      1     2     3
//   parent         NONE   0     1     0
//   frame          main   run   gc    idle
//
// Most nodes have one child. So a node stores its first child, and only further children are found by hashing
// (parent, frame). Inserting 120,000 stacks (1.6 million nodes) takes a third of the time that hashing every step takes.
import { NONE } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'

// Random per process: with a known multiplier a sender could craft stacks that all collide.
const MULTIPLIER = (Math.floor(Math.random() * 0x4000_0000) << 2) | 0x2000_0005

export class FrameTrie {
  /** The parent of each node; NONE for roots. */
  readonly parents = new GrowingInts(1024)
  /** The frame of each node. */
  readonly frames = new GrowingInts(1024)
  /** Indexed by node + 1, so that the entry for the roots comes first. Holds node + 1 of the first child, 0 for none. */
  readonly #firstChild = new GrowingInts(1024)
  /** Open addressing over (parent, frame) for further children. Holds node + 1; 0 is free. At most half full. */
  #slots = new Int32Array(2048)
  #hashed = 0
  /** The path inserted last and its nodes. The next path often has the same prefix, which then needs no lookups. */
  #path = new Int32Array(256)
  #nodes = new Int32Array(256)
  #depth = 0
  #scratch = new Int32Array(0)
  #totals = new Float64Array(0)

  constructor() {
    this.#firstChild.push(0)
  }

  get length(): number {
    return this.parents.length
  }

  get byteLength(): number {
    const { parents, frames } = this
    const columns = parents.array.byteLength + frames.array.byteLength + this.#firstChild.array.byteLength
    return columns + this.#slots.byteLength + this.#scratch.byteLength + this.#totals.byteLength
  }

  /** NONE for roots. */
  parent(node: number): number {
    return this.parents.array[node]
  }

  frame(node: number): number {
    return this.frames.array[node]
  }

  /** A number for every node, for use by one function at a time. Users must reset what they change to NONE. */
  get scratch(): Int32Array {
    if (this.#scratch.length < this.length) this.#scratch = new Int32Array(Math.ceil(this.length * 1.25)).fill(NONE)
    return this.#scratch
  }

  /** Another number for every node, with arbitrary content. */
  get totals(): Float64Array {
    if (this.#totals.length < this.length) this.#totals = new Float64Array(Math.ceil(this.length * 1.25))
    return this.#totals
  }

  /** Adds the path `frames[from, to)`, starting at a root. Returns its last node. */
  insert(frames: Int32Array, from: number, to: number): number {
    const depth = to - from
    if (depth > this.#path.length) this.#deepen(depth)
    const path = this.#path
    const nodes = this.#nodes
    const known = Math.min(depth, this.#depth)
    let level = 0
    while (level < known && path[level] === frames[from + level]) level++
    let node = level === 0 ? NONE : nodes[level - 1]
    for (const before = this.length; level < depth; level++) {
      const frame = frames[from + level]
      path[level] = frame
      nodes[level] = node = this.child(node, frame)
      // Everything below a new node is new.
      if (node === before) return this.#append(frames, from, level + 1, depth)
    }
    this.#depth = depth
    return node
  }

  /** The child of a node (NONE for a root) with that frame. Adds it if it does not exist. */
  child(parent: number, frame: number): number {
    const first = this.#firstChild.array[parent + 1] - 1
    if (first < 0) {
      const node = this.#add(parent, frame)
      this.#firstChild.array[parent + 1] = node + 1
      return node
    }
    if (this.frames.array[first] === frame) return first
    const slot = this.#slotOf(parent, frame)
    const found = this.#slots[slot] - 1
    if (found >= 0) return found
    const node = this.#add(parent, frame)
    this.#slots[slot] = node + 1
    if (2 * ++this.#hashed > this.#slots.length) this.#grow()
    return node
  }

  /** The nearest node with the frame among a node and its ancestors; NONE if there is none. */
  nearest(node: number, frame: number): number {
    let at = node
    while (at !== NONE && this.frames.array[at] !== frame) at = this.parents.array[at]
    return at
  }

  /** Adds the rest of a path below the node that was added last. */
  #append(frames: Int32Array, from: number, first: number, depth: number): number {
    const count = depth - first
    const parents = this.parents.reserve(count)
    const nodeFrames = this.frames.reserve(count)
    const firstChild = this.#firstChild.reserve(count)
    const path = this.#path
    const nodes = this.#nodes
    let node = this.length
    for (let level = first; level < depth; level++, node++) {
      const frame = frames[from + level]
      path[level] = frame
      nodes[level] = node
      parents[node] = node - 1
      nodeFrames[node] = frame
      firstChild[node] = node + 1
    }
    firstChild[node] = 0
    this.parents.length = this.frames.length = node
    this.#firstChild.length = node + 1
    this.#depth = depth
    return node - 1
  }

  #add(parent: number, frame: number): number {
    const node = this.parents.length
    this.parents.push(parent)
    this.frames.push(frame)
    this.#firstChild.push(0)
    return node
  }

  #slotOf(parent: number, frame: number): number {
    const slots = this.#slots
    const parents = this.parents.array
    const frames = this.frames.array
    const mask = slots.length - 1
    const mixed = Math.imul(Math.imul(parent + 1, MULTIPLIER) ^ frame, 0x85eb_ca6b)
    let slot = (mixed ^ (mixed >>> 15)) & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const node = slots[slot] - 1
      if (parents[node] === parent && frames[node] === frame) break
    }
    return slot
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 4)
    const parents = this.parents.array
    const frames = this.frames.array
    for (const used of old) {
      if (used !== 0) this.#slots[this.#slotOf(parents[used - 1], frames[used - 1])] = used
    }
  }

  #deepen(depth: number): void {
    const path = new Int32Array(depth * 2)
    path.set(this.#path)
    this.#path = path
    const nodes = new Int32Array(depth * 2)
    nodes.set(this.#nodes)
    this.#nodes = nodes
  }
}

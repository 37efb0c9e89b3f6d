// A trie over frames that stays in memory between queries: every distinct path from a root is one node, parents have
// lower numbers than their children, and each stack's node is looked up once.
//
//   paths          main run gc | main idle
//   node           0      1     2     3
//   parent         -1     0     1     0
//   frame          main   run   gc    idle
//
// Most nodes have one child, so a node names its first child and only further children are found by hashing.
import { GrowingInts } from './growing-ints.ts'

// Random per process: with a known multiplier a sender could craft stacks that all collide.
const MULTIPLIER = (Math.floor(Math.random() * 0x4000_0000) << 2) | 0x2000_0005
const NONE = -1

export class PathTrie {
  readonly parents = new GrowingInts()
  readonly frames = new GrowingInts()
  /** By node + 1, so that what is above the roots comes first: node + 1 of the first child, 0 for none. */
  readonly #firstChild = new GrowingInts()
  /** Node + 1 of further children by parent and frame; 0 is free. At most half are taken. */
  #slots = new Int32Array(2048)
  #hashed = 0
  /** The path inserted last with its nodes: the next one often begins the same, which then costs no lookups. */
  #path = new Int32Array(256)
  #nodes = new Int32Array(256)
  #depth = 0

  constructor() {
    this.#firstChild.push(0)
  }

  get length(): number {
    return this.parents.length
  }

  get byteLength(): number {
    return 3 * this.parents.array.byteLength + this.#slots.byteLength
  }

  /** Adds the path `frames[from, to)` from a root on; returns its last node. */
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
      nodes[level] = node = this.#child(node, frame)
      // Below a node that is new everything is.
      if (node === before) return this.#append(frames, from, level + 1, depth)
    }
    this.#depth = depth
    return node
  }

  /** Adds the rest of a path below the node that was added last. */
  #append(frames: Int32Array, from: number, first: number, depth: number): number {
    const count = depth - first
    this.parents.reserve(count)
    this.frames.reserve(count)
    this.#firstChild.reserve(count)
    const path = this.#path
    const nodes = this.#nodes
    const parents = this.parents.array
    const nodeFrames = this.frames.array
    const firstChild = this.#firstChild.array
    let node = this.length
    for (let level = first; level < depth; level++, node++) {
      const frame = frames[from + level]
      path[level] = frame
      nodes[level] = node
      parents[node] = node - 1
      nodeFrames[node] = frame
      firstChild[node] = node + 1
    }
    // The last one has no child yet.
    firstChild[node] = 0
    this.parents.length = this.frames.length = node
    this.#firstChild.length = node + 1
    this.#depth = depth
    return node - 1
  }

  #child(parent: number, frame: number): number {
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
    for (const taken of old) {
      if (taken !== 0) this.#slots[this.#slotOf(parents[taken - 1], frames[taken - 1])] = taken
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

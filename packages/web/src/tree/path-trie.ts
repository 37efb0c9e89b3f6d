// Paths of frames, each prefix of them once: what every tree is built through. A node is a row (parent, frame), made before
// its children; an open-addressing table finds a node's child by frame, since a Map of keys would take 100 bytes a node.
import { ROOT } from './tree.ts'

const EMPTY = -1
// Random, as those of the library's tables are: with known ones a profile could be made whose nodes all collide.
const OF_PARENT = randomOdd()
const OF_FRAME = randomOdd()

export class PathTrie {
  #parent: Int32Array
  #frame: Int32Array
  /** Rows of nodes, at most half full. */
  #slots: Int32Array
  #length = 0

  /** Room for so many nodes to begin with; it grows. */
  constructor(room = 64) {
    this.#parent = new Int32Array(room)
    this.#frame = new Int32Array(room)
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(room, 8) * 2))).fill(EMPTY)
  }

  get length(): number {
    return this.#length
  }

  parent(node: number): number {
    return this.#parent[node]
  }

  frame(node: number): number {
    return this.#frame[node]
  }

  /** The child of a node (ROOT for a root) for that frame, made where there is none. */
  child(parent: number, frame: number): number {
    const mask = this.#slots.length - 1
    let slot = hash(parent, frame) & mask
    for (; this.#slots[slot] !== EMPTY; slot = (slot + 1) & mask) {
      const node = this.#slots[slot]
      if (this.#parent[node] === parent && this.#frame[node] === frame) return node
    }
    const node = this.#length++
    if (node === this.#parent.length) this.#growRows()
    this.#parent[node] = parent
    this.#frame[node] = frame
    this.#slots[slot] = node
    if (this.#length * 2 > this.#slots.length) this.#growSlots()
    return node
  }

  /** The nearest of a node and its parents that has the frame; ROOT where none has. */
  nearest(node: number, frame: number): number {
    let at = node
    while (at !== ROOT && this.#frame[at] !== frame) at = this.#parent[at]
    return at
  }

  #growRows(): void {
    this.#parent = grown(this.#parent)
    this.#frame = grown(this.#frame)
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY)
    const mask = this.#slots.length - 1
    for (let node = 0; node < this.#length; node++) {
      let slot = hash(this.#parent[node], this.#frame[node]) & mask
      while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & mask
      this.#slots[slot] = node
    }
  }
}

function grown(column: Int32Array): Int32Array {
  const wider = new Int32Array(column.length * 2)
  wider.set(column)
  return wider
}

function hash(parent: number, frame: number): number {
  let h = Math.imul(parent, OF_PARENT) ^ Math.imul(frame, OF_FRAME)
  h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35)
  return (h ^ (h >>> 13)) >>> 0
}

function randomOdd(): number {
  return (Math.floor(Math.random() * 0x1_0000_0000) & ~7) | 5
}

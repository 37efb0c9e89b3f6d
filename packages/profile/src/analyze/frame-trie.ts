// A trie over frames: every distinct path from a root is one node. Nodes are numbered as they appear, so a parent comes
// before its children and one backward pass sums up subtrees.
//
//   paths          main run gc | main idle
//   node           0      1     2     3
//   parent         NONE   0     1     0
//   frame          main   run   gc    idle
//
// Most nodes have one child, made right after its parent, so a node names its first child and only further children are
// found by hashing (parent, frame). A path then mostly runs through neighbouring memory: 1.6 million nodes of 120,000 stacks
// took a third of the time that hashing every step takes.
import { NONE } from '../model/columns/brand.ts'
import { GrowingInts } from '../model/columns/growing-columns.ts'

// Random per process: with a known multiplier a sender could craft stacks that all collide.
const MULTIPLIER = (Math.floor(Math.random() * 0x4000_0000) << 2) | 0x2000_0005

// A node's row: parent, frame, first child, next sibling. Row 0 is above the roots, so node n is row n + 1, and row 0 in
// the place of a child or sibling says that there is none. 16 bytes, so that no row is in two cache lines.
const ROW = 4
const FRAME = 1
const FIRST_CHILD = 2
const NEXT_SIBLING = 3

export class FrameTrie {
  readonly #rows = new GrowingInts(1024 * ROW)
  readonly #laterChildren: ChildIndex
  /** The path inserted last and its rows: the next one often begins the same, which then costs no lookups. */
  #path = new Int32Array(256)
  #pathRows = new Int32Array(256)
  #depth = 0

  constructor() {
    this.#laterChildren = new ChildIndex(this.#rows)
    this.#add(0, NONE)
  }

  get length(): number {
    return this.#rows.length / ROW - 1
  }

  /** NONE for roots. */
  parent(node: number): number {
    return this.#rows.array[(node + 1) * ROW] - 1
  }

  frame(node: number): number {
    return this.#rows.array[(node + 1) * ROW + FRAME]
  }

  /** NONE where it has none. The first child of NONE is the first root. */
  firstChild(node: number): number {
    return this.#rows.array[(node + 1) * ROW + FIRST_CHILD] - 1
  }

  /** NONE for the last one. */
  nextSibling(node: number): number {
    return this.#rows.array[(node + 1) * ROW + NEXT_SIBLING] - 1
  }

  /** Adds the path `frames[from, to)` from a root on; returns its last node. */
  insert(frames: Int32Array, from: number, to: number): number {
    const depth = to - from
    if (depth > this.#path.length) this.#deepen(depth)
    const path = this.#path
    const pathRows = this.#pathRows
    const known = Math.min(depth, this.#depth)
    let level = 0
    while (level < known && path[level] === frames[from + level]) level++
    let row = level === 0 ? 0 : pathRows[level - 1]
    for (; level < depth; level++) {
      const frame = frames[from + level]
      path[level] = frame
      pathRows[level] = row = this.#child(row, frame)
    }
    this.#depth = depth
    return row - 1
  }

  #child(parent: number, frame: number): number {
    const rows = this.#rows.array
    const first = rows[parent * ROW + FIRST_CHILD]
    if (first !== 0) return rows[first * ROW + FRAME] === frame ? first : this.#laterChild(parent, frame, first)
    const row = this.#add(parent, frame)
    this.#rows.array[parent * ROW + FIRST_CHILD] = row
    return row
  }

  #laterChild(parent: number, frame: number, first: number): number {
    const slot = this.#laterChildren.slotOf(parent, frame)
    const found = this.#laterChildren.rowAt(slot)
    if (found !== 0) return found
    const row = this.#add(parent, frame)
    this.#laterChildren.put(slot, row)
    const { array } = this.#rows
    array[row * ROW + NEXT_SIBLING] = array[first * ROW + NEXT_SIBLING]
    array[first * ROW + NEXT_SIBLING] = row
    return row
  }

  #add(parent: number, frame: number): number {
    const row = this.#rows.length / ROW
    const array = this.#rows.reserve(ROW)
    const at = this.#rows.length
    array[at] = parent
    array[at + FRAME] = frame
    array[at + FIRST_CHILD] = 0
    array[at + NEXT_SIBLING] = 0
    this.#rows.length += ROW
    return row
  }

  #deepen(depth: number): void {
    const path = new Int32Array(depth * 2)
    path.set(this.#path)
    this.#path = path
    const pathRows = new Int32Array(depth * 2)
    pathRows.set(this.#pathRows)
    this.#pathRows = pathRows
  }
}

/** Rows by parent and frame: open addressing, at most half full. */
class ChildIndex {
  /** 0 is free. */
  #slots = new Int32Array(1024)
  #used = 0
  readonly #rows: GrowingInts

  constructor(rows: GrowingInts) {
    this.#rows = rows
  }

  /** Where the child is, or would be put. */
  slotOf(parent: number, frame: number): number {
    const slots = this.#slots
    const rows = this.#rows.array
    const mask = slots.length - 1
    let slot = hash(parent, frame) & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const at = slots[slot] * ROW
      if (rows[at] === parent && rows[at + FRAME] === frame) break
    }
    return slot
  }

  /** 0 where the slot is free. */
  rowAt(slot: number): number {
    return this.#slots[slot]
  }

  put(slot: number, row: number): void {
    this.#slots[slot] = row
    if (++this.#used * 2 > this.#slots.length) this.#grow()
  }

  #grow(): void {
    const old = this.#slots
    const rows = this.#rows.array
    this.#slots = new Int32Array(old.length * 4)
    for (const row of old) {
      if (row !== 0) this.#slots[this.slotOf(rows[row * ROW], rows[row * ROW + FRAME])] = row
    }
  }
}

function hash(parent: number, frame: number): number {
  const mixed = Math.imul(Math.imul(parent, MULTIPLIER) ^ frame, 0x85eb_ca6b)
  return mixed ^ (mixed >>> 15)
}

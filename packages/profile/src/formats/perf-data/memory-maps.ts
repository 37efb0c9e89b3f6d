// The mappings of one address space: disjoint ranges in a search tree (a treap, so that no order of records makes it deep). A
// fork shares the tree with its parent. Later changes copy only the nodes on their path, about twenty instead of thousands, so
// that 100,000 forks of a large process stay cheap.

/** Ends are inclusive, because the last 64-bit address has no successor. */
export interface AddressRange {
  readonly startLo: number
  readonly startHi: number
  readonly lastLo: number
  readonly lastHi: number
}

interface Node extends AddressRange {
  lastLo: number
  lastHi: number
  /** The caller's number for the mapping. */
  readonly map: number
  readonly priority: number
  left: Node | undefined
  right: Node | undefined
  /** Only the tree with this owner may modify the node. */
  readonly owner: object
}

/** Counts the states of all trees: equal stamps mean equal content. */
let stamps = 0

export class MemoryMaps {
  #root: Node | undefined
  #owner: object = {}
  #stamp = ++stamps

  /** Changes with every change. */
  get stamp(): number {
    return this.#stamp
  }

  clear(): void {
    this.#root = undefined
    this.#stamp = ++stamps
  }

  /** Returns another address space with the same content. */
  fork(): MemoryMaps {
    const copy = new MemoryMaps()
    copy.#root = this.#root
    copy.#stamp = this.#stamp
    // From now on neither tree may modify the shared nodes.
    this.#owner = {}
    return copy
  }

  /** The map at an address, or undefined. */
  find(lo: number, hi: number): number | undefined {
    let best: Node | undefined
    let node = this.#root
    while (node !== undefined) {
      if (isBelow(lo, hi, node.startLo, node.startHi)) node = node.left
      else {
        best = node
        node = node.right
      }
    }
    return best === undefined || isBelow(best.lastLo, best.lastHi, lo, hi) ? undefined : best.map
  }

  /** Maps a range and replaces the overlapping parts of earlier ranges. */
  insert(range: AddressRange, map: number): void {
    const { startLo, startHi, lastLo, lastHi } = range
    if (isBelow(lastLo, lastHi, startLo, startHi)) return
    this.#stamp = ++stamps
    const [below, rest] = this.#split(this.#root, startLo, startHi)
    const head = this.#cutLast(below, startLo, startHi)
    // The address after the end. If it exceeds 64 bits, every address is before it.
    const nextLo = (lastLo + 1) | 0
    const nextHi = nextLo === 0 ? (lastHi + 1) | 0 : lastHi
    const isEnd = nextLo === 0 && nextHi === 0
    const [inside, above] = isEnd ? [rest, undefined] : this.#split(rest, nextLo, nextHi)
    // At most one old range continues after the new one: the last that begins within it, otherwise one that contains it.
    const tail = rightmost(inside) ?? head.cut
    const goesOn = !isEnd && tail !== undefined && isBelow(lastLo, lastHi, tail.lastLo, tail.lastHi)
    const added = this.#node(range, map)
    let tree = this.#merge(head.tree, added)
    if (goesOn) {
      const behind = { startLo: nextLo, startHi: nextHi, lastLo: tail.lastLo, lastHi: tail.lastHi }
      tree = this.#merge(tree, this.#node(behind, tail.map))
    }
    this.#root = this.#merge(tree, above)
  }

  #node(range: AddressRange, map: number): Node {
    const { startLo, startHi, lastLo, lastHi } = range
    const owner = this.#owner
    return { startLo, startHi, lastLo, lastHi, map, priority: Math.random(), left: undefined, right: undefined, owner }
  }

  /** Returns the node itself if this tree owns it, otherwise a copy. */
  #own(node: Node): Node {
    return node.owner === this.#owner ? node : { ...node, owner: this.#owner }
  }

  /** Ends the last range of the tree before an address. `cut` is the original range if it extended beyond the address. */
  #cutLast(tree: Node | undefined, lo: number, hi: number): { tree: Node | undefined; cut: Node | undefined } {
    const last = rightmost(tree)
    if (tree === undefined || last === undefined || isBelow(last.lastLo, last.lastHi, lo, hi))
      return { tree, cut: undefined }
    const cut = { ...last }
    // Copies the nodes of the right edge that this tree does not own.
    const root = this.#own(tree)
    let node = root
    while (node.right !== undefined) {
      node.right = this.#own(node.right)
      node = node.right
    }
    node.lastLo = (lo - 1) | 0
    node.lastHi = lo === 0 ? (hi - 1) | 0 : hi
    return { tree: root, cut }
  }

  /** Splits a tree into ranges that begin before an address, and the others. */
  #split(tree: Node | undefined, lo: number, hi: number): [Node | undefined, Node | undefined] {
    if (tree === undefined) return [undefined, undefined]
    const node = this.#own(tree)
    if (isBelow(node.startLo, node.startHi, lo, hi)) {
      const [below, above] = this.#split(node.right, lo, hi)
      node.right = below
      return [node, above]
    }
    const [below, above] = this.#split(node.left, lo, hi)
    node.left = above
    return [below, node]
  }

  /** Requires that all of `a` is before all of `b`. */
  #merge(a: Node | undefined, b: Node | undefined): Node | undefined {
    if (a === undefined) return b
    if (b === undefined) return a
    if (a.priority > b.priority) {
      const node = this.#own(a)
      node.right = this.#merge(node.right, b)
      return node
    }
    const node = this.#own(b)
    node.left = this.#merge(a, node.left)
    return node
  }
}

function rightmost(tree: Node | undefined): Node | undefined {
  let node = tree
  while (node?.right !== undefined) node = node.right
  return node
}

/** Compares unsigned numbers. */
export function isBelow(aLo: number, aHi: number, bLo: number, bHi: number): boolean {
  const a = aHi >>> 0
  const b = bHi >>> 0
  return a < b || (a === b && aLo >>> 0 < bLo >>> 0)
}

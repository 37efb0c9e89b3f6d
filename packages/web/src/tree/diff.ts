// Two trees as one, with the values of both, and how much each node changed as a share of its side.
import { PathTrie } from './path-trie.ts'
import { buildTree } from './build-tree.ts'
import type { Sums } from './build-tree.ts'
import type { FrameRow, Frames } from './frames.ts'
import { framesOfRows } from './frames.ts'
import { Mover, emptyOf, restOf } from './rebuild.ts'
import type { Tree } from './tree.ts'
import { ROOT } from './tree.ts'

/** Frames are matched by what they are called. Throws RangeError where one tree is inverted and the other is not. */
export function diffOf(before: Tree, after: Tree): Tree {
  if (before.order !== after.order) throw new RangeError('one tree is root first, the other leaf first')
  const frames = new SharedFrames()
  const trie = new PathTrie(before.length + after.length)
  const old = inserted(before, trie, frames)
  const now = inserted(after, trie, frames)
  const hiddenNodes = Math.max(before.hiddenNodes, after.hiddenNodes)
  return buildTree(trie, {
    frames: frames.frames(),
    order: after.order,
    unit: after.unit,
    hiddenNodes,
    after: moved(after, now, trie),
    before: moved(before, old, trie),
  })
}

function inserted(tree: Tree, trie: PathTrie, frames: SharedFrames): Int32Array {
  const shared = frames.add(tree.frames)
  const to = new Int32Array(tree.length)
  for (let i = 0; i < tree.length; i++) {
    const parent = tree.parent[i]
    to[i] = trie.child(parent === ROOT ? ROOT : to[parent], shared[tree.frame[i]])
  }
  return to
}

function moved(tree: Tree, to: Int32Array, trie: PathTrie): Sums {
  const rest = restOf(tree, tree)
  const sums = new Mover(trie.length, tree.selfExact !== undefined, rest !== undefined)
  for (let i = 0; i < tree.length; i++) {
    sums.addSelf(to[i], tree.self[i], tree.selfExact?.[i])
    if (rest !== undefined) sums.addRest(to[i], rest.near[i], rest.exact?.[i])
  }
  sums.addEmpty(emptyOf(tree, tree))
  return sums.done(tree)
}

/** Frames of several trees, each once. */
class SharedFrames {
  readonly #rows: FrameRow[] = []
  readonly #known = new Map<string, number>()

  /** For each frame its row among the shared ones. */
  add(frames: Frames): Int32Array {
    return Int32Array.from({ length: frames.length }, (_, i) => {
      const row = rowOf(frames, i)
      const { name, file, line, address, mapping, attribute } = row
      // The mapping is part of what an address is, and of nothing else.
      const key = [name, file, line, address, address === '' ? '' : mapping, attribute].join('\0')
      const known = this.#known.get(key)
      if (known !== undefined) return known
      this.#known.set(key, this.#rows.length)
      return this.#rows.push(row) - 1
    })
  }

  frames(): Frames {
    return framesOfRows(this.#rows)
  }
}

function rowOf(frames: Frames, i: number): Required<FrameRow> {
  return {
    name: frames.name[i],
    file: frames.file[i],
    line: frames.line[i],
    address: frames.address[i],
    mapping: frames.mapping[i],
    type: frames.type[i],
    attribute: frames.attribute?.[i] ?? '',
  }
}

/** After less before, each as a part of its side's sum: -1 to 1. 0 where the tree compares nothing. */
export function changeOf(tree: Tree, node: number): number {
  const { before } = tree
  if (before === undefined || node === ROOT) return 0
  return part(tree.total[node], tree.sum) - part(before.total[node], before.sum)
}

function part(value: number, sum: bigint): number {
  return sum === 0n ? 0 : value / Number(sum)
}

/** Steps of scales that people read easily. */
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

/** Where the colours end on both sides: the first step that is not below any node's change. */
export function changeLimit(tree: Tree): number {
  let most = 0
  for (let i = 0; i < tree.length; i++) most = Math.max(most, Math.abs(changeOf(tree, i)))
  return STEPS.find(step => step >= most - 1e-12) ?? 1
}

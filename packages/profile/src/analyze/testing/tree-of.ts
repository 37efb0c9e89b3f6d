// Trees for tests and benchmarks: from folded text, and a large synthetic one.
import { readFolded } from '../../formats/folded/read.ts'
import { randomFrom } from '../../formats/testing/random.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { DiffTree } from '../diff.ts'
import { diffTree } from '../diff.ts'
import { callTree } from '../profile-tree.ts'
import type { CallTree, TreeOrder } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'
import { exactSelf, exactTotal } from '../tree/exact-values.ts'
import { THREAD, framesOfRows } from '../tree/frame-table.ts'
import type { Layout } from '../view/layout.ts'
import { layOut } from '../view/layout.ts'

/** Each line is `main;run;gc 3`. */
export function treeOfFolded(text: string, unit = 'count'): CallTree {
  return { ...callTree(profilesOfFolded(text), 0), unit }
}

/** The diff of two folded texts. */
export function diffOfFolded(before: string, after: string): DiffTree {
  const [a, b] = [before, after].map(text => ({ profiles: profilesOfFolded(text), selection: 0 }))
  return diffTree(a, b)
}

function profilesOfFolded(text: string): Profiles {
  const lines = text.split('\n').map(line => line.trim())
  return readFolded(new TextEncoder().encode(`${lines.filter(line => line !== '').join('\n')}\n`)).profiles
}

/** Each line is `worker: main;run;gc 3` with a thread name as root. A line that starts with a colon has no thread. */
export function treeOfThreads(text: string, order: TreeOrder = 'root-first'): CallTree {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'count' })
  for (const [, thread, stack, value] of text.matchAll(/^ *(.*): (\S+) (\d+)$/gm)) {
    const locations = stack
      .split(';')
      .map(name => builder.location({ lines: [{ function: builder.function({ name }) }] }))
    const attributes = thread === '' ? [] : [builder.attribute(THREAD, thread)]
    builder.sample({ stack: builder.stack(locations.reverse()), values: [BigInt(value)], attributes })
  }
  return callTree(builder.build(), 0, { roots: [THREAD], order })
}

/** One line per node: `  name total self self`. */
export function shown(tree: CallTree): string[] {
  return Array.from(tree.frame, (frame, i) => {
    const self = exactSelf(tree, i)
    const before = tree.before === undefined ? '' : ` before ${exactTotal(tree.before, i)}`
    const own = self === 0n ? '' : ` self ${self}`
    return `${'  '.repeat(tree.depth[i])}${tree.frames.name[frame]} ${exactTotal(tree, i)}${own}${before}`
  })
}

const PACKAGES = [
  'net/http',
  'encoding/json',
  'runtime',
  'github.com/shop/cart',
  'github.com/shop/prices',
  'database/sql',
  'sort',
  'crypto/tls',
  'regexp',
  'bufio',
]

/**
 * A tree with this many nodes over about 50 levels. Shares fall as 1, 1/2, 1/3…, which gives a few wide boxes and many
 * narrow ones, as in profiles of large programs. It is deterministic.
 */
export function syntheticTree(nodes: number, frameCount = 5000): CallTree {
  const random = randomFrom(nodes)
  const parent = new Int32Array(nodes)
  const depth = new Uint32Array(nodes)
  const end = new Uint32Array(nodes)
  const frame = new Uint32Array(nodes)
  const total = new Float64Array(nodes)
  const self = new Float64Array(nodes)
  const sum = 2 ** 50
  let next = 0
  // Children of a node share its nodes and its value. This is a stack of pending nodes, the leftmost on top.
  const stack: { parent: number; nodes: number; value: number }[] = []
  const split = (above: number, count: number, value: number): void => {
    const children = Math.min(count, 1 + Math.floor(random() * (random() < 0.05 ? 30 : 3)))
    const weights = Array.from({ length: children }, (_, i) => 1 / (i + 1) ** 1.6)
    const all = weights.reduce((a, b) => a + b, 0)
    const parts: { parent: number; nodes: number; value: number }[] = []
    let left = count - children
    for (let i = 0; i < children; i++) {
      const more = i === children - 1 ? left : Math.min(left, Math.floor((count - children) * (weights[i] / all)))
      left -= more
      parts.push({ parent: above, nodes: 1 + more, value: Math.floor((value * weights[i]) / all) })
    }
    stack.push(...parts.reverse())
  }
  split(ROOT, nodes, sum)
  for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
    const i = next++
    parent[i] = one.parent
    depth[i] = one.parent === ROOT ? 0 : depth[one.parent] + 1
    frame[i] = Math.floor(random() ** 2 * frameCount)
    total[i] = one.value
    end[i] = i + one.nodes
    const below = one.nodes === 1 || depth[i] > 60 ? 0 : Math.floor(one.value * (0.94 + 0.06 * random()))
    if (one.nodes > 1) split(i, one.nodes - 1, below)
  }
  for (let i = 0; i < nodes; i++) self[i] = total[i]
  for (let i = 0; i < nodes; i++) if (parent[i] !== ROOT) self[parent[i]] -= total[i]
  const frames = framesOfRows(
    Array.from({ length: frameCount }, (_, f) => ({
      name: `${PACKAGES[f % PACKAGES.length]}.(*Type${f % 97}).method${f}`,
      file: 'x.go',
    })),
  )
  let whole = 0
  for (let i = 0; i < nodes; i = end[i]) whole += total[i]
  return {
    length: nodes,
    parent,
    depth,
    end,
    frame,
    frames,
    self,
    total,
    selfExact: undefined,
    totalExact: undefined,
    sum: BigInt(whole),
    order: 'root-first',
    unit: 'ns',
    before: undefined,
    hiddenNodes: 0,
  }
}

export function layoutOf(text: string): Layout {
  return layOut(treeOfFolded(text))
}

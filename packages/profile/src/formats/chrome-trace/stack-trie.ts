// Stacks that grow call by call: each node is a caller and a location. Only nodes with self time become stacks.
import type { StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { ExpansionLimit } from '../expansion-limit.ts'

export class StackTrie {
  readonly #builder: ProfilesBuilder
  /** Columns: parent, location. */
  readonly #nodes = new SequenceInterner()
  readonly #stacks = new GrowingInts()
  readonly #key = new Int32Array(2)
  readonly #expansion: ExpansionLimit

  constructor(builder: ProfilesBuilder, inputBytes: number) {
    this.#builder = builder
    this.#expansion = new ExpansionLimit(inputBytes)
  }

  child(parent: number, location: number): number {
    this.#key[0] = parent
    this.#key[1] = location
    const node = this.#nodes.intern(this.#key, 0, 2)
    if (node === this.#stacks.length) this.#stacks.push(NONE)
    return node
  }

  /** Returns undefined if the stacks would exceed the memory limit for a file of this size. */
  stack(node: number): StackIndex | undefined {
    const known = this.#stacks.array
    if (known[node] !== NONE) return known[node] as StackIndex
    const nodes = this.#nodes.pool.array
    const { stacks } = this.#builder.dictionary
    let depth = 0
    for (let at = node; at !== NONE; at = nodes[2 * at]) depth++
    if (!this.#expansion.spend(depth)) return undefined
    const run = stacks.pool.reserve(depth)
    let end = stacks.pool.length
    for (let at = node; at !== NONE; at = nodes[2 * at]) run[end++] = nodes[2 * at + 1]
    known[node] = stacks.internTail(depth)
    return known[node] as StackIndex
  }
}

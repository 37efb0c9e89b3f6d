// The `stackFrames` of a trace: a tree in which each frame names its caller. Numbers start at 1; 0 is the empty stack.
import { NONE } from '../../model/columns/brand.ts'
import type { StackIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import type { PlainFrame, PlainFrames } from './plain-frames.ts'
import { writePosition } from './plain-frames.ts'

export class StackFrameTree {
  readonly #dictionary: Dictionary
  readonly #frames: PlainFrames
  /** Columns: parent, frame. */
  readonly #nodes = new SequenceInterner()
  readonly #key = Int32Array.of(NONE, NONE)

  constructor(dictionary: Dictionary, frames: PlainFrames) {
    this.#dictionary = dictionary
    this.#frames = frames
    this.#nodes.intern(this.#key, 0, 2)
  }

  get length(): number {
    return this.#nodes.length
  }

  parent(node: number): number {
    return this.#nodes.pool.array[2 * node]
  }

  frame(node: number): PlainFrame {
    return this.#frames.frames[this.#nodes.pool.array[2 * node + 1]]
  }

  node(stack: StackIndex): number {
    const { stacks } = this.#dictionary
    let node = 0
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
      for (const frame of this.#frames.of(stacks.locations.at(k))) {
        this.#key[0] = node
        this.#key[1] = frame
        node = this.#nodes.intern(this.#key, 0, 2)
      }
    }
    return node
  }
}

export function writeStackFrames(json: JsonWriter, tree: StackFrameTree): void {
  json.key('stackFrames')
  json.beginObject()
  for (let node = 1; node < tree.length; node++) {
    const frame = tree.frame(node)
    json.key(String(node))
    json.beginObject()
    json.key('name')
    json.string(frame.name)
    if (tree.parent(node) > 0) {
      json.key('parent')
      json.number(tree.parent(node))
    }
    writePosition(json, frame)
    json.endObject()
  }
  json.endObject()
}

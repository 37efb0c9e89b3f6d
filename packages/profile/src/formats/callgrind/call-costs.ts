// Computes the cost of functions by line, and of calls between functions, from stacks. Viewers add a function's self cost and
// the cost of its calls to get its inclusive cost. So each stack must count only once in that sum, even with recursion.
// Callgrind uses a separate function for each level of recursion:
//
//   stack         main  fact  fact  fact  5         calls   main > fact 5,  fact > fact'2 5,  fact'2 > fact'3 5
//   functions     main  fact  fact'2  fact'3        inclusive 5 each, self 5 of fact'3
//
// callgrind_annotate uses the sum of the calls to a function instead, so `(all)` calls the roots of stacks.
import { exactSum } from '../../analyze/tree/exact-values.ts'
import type { LocationFrames } from '../../analyze/stacks/location-frames.ts'
import { stackPaths } from '../../analyze/stacks/stack-paths.ts'
import type { StackWeights } from '../../analyze/stacks/stack-weights.ts'

/** The row of `(all)`. */
const ROOT = 0

export interface CostFunction {
  readonly name: string
  readonly file: string
  readonly object: string
  /** Cost by line. */
  readonly self: Map<bigint, bigint>
  /** Cost by line, then by callee. */
  readonly calls: Map<bigint, Map<number, bigint>>
}

export interface CallCosts {
  readonly functions: readonly CostFunction[]
  readonly total: bigint
  /** The number of stacks that were dropped because of a negative value. */
  readonly negative: number
}

/** `frames` must distinguish lines. */
export function callCosts(frames: LocationFrames, weights: StackWeights): CallCosts {
  const functions = new FunctionLevels(frames)
  const paths = stackPaths(frames, weights)
  let total = 0n
  let negative = 0
  for (let s = 0; s < weights.stacks.length; s++) {
    const value = exactSum(weights.weight[s], weights.exact?.[s])
    if (value < 0n) {
      negative++
      continue
    }
    total += value
    const length = paths.read(s)
    functions.startStack()
    let caller = ROOT
    for (let k = 0; k < length; k++) {
      const callee = functions.next(paths.path[k])
      addCall(functions.all[caller], k === 0 ? 0n : (frames.line(paths.path[k - 1]) ?? 0n), callee, value)
      caller = callee
    }
    const line = frames.line(paths.path[length - 1]) ?? 0n
    const { self } = functions.all[caller]
    self.set(line, (self.get(line) ?? 0n) + value)
  }
  return { functions: functions.all, total, negative }
}

/** The functions, which combine the frames of all their lines. Each level of recursion is a separate function. */
class FunctionLevels {
  readonly all: CostFunction[] = [{ name: '(all)', file: '', object: '', self: new Map(), calls: new Map() }]
  readonly #frames: LocationFrames
  /** The function of each frame. */
  readonly #functions: Int32Array
  /** For each function, the rows of its levels in `all`. */
  readonly #levels: number[][] = []
  /** How often each function is on the current stack. */
  readonly #depths = new Map<number, number>()

  constructor(frames: LocationFrames) {
    const known = new Map<string, number>()
    this.#frames = frames
    this.#functions = new Int32Array(frames.length)
    for (let i = 0; i < frames.length; i++) {
      const key = `${frames.name(i)}\0${frames.file(i)}\0${frames.mapping(i)}`
      if (!known.has(key)) {
        known.set(key, known.size)
        this.#levels.push([])
      }
      this.#functions[i] = known.get(key)!
    }
  }

  startStack(): void {
    this.#depths.clear()
  }

  /** The row of the next frame of the stack, starting at the root. */
  next(frame: number): number {
    const row = this.#functions[frame]
    const depth = this.#depths.get(row) ?? 0
    this.#depths.set(row, depth + 1)
    const levels = this.#levels[row]
    if (depth === levels.length) {
      const frames = this.#frames
      const name = depth === 0 ? frames.name(frame) : `${frames.name(frame)}'${depth + 1}`
      levels.push(this.all.length)
      this.all.push({
        name,
        file: frames.file(frame),
        object: frames.mapping(frame),
        self: new Map(),
        calls: new Map(),
      })
    }
    return levels[depth]
  }
}

function addCall({ calls }: CostFunction, line: bigint, callee: number, value: bigint): void {
  let ofLine = calls.get(line)
  if (ofLine === undefined) {
    ofLine = new Map()
    calls.set(line, ofLine)
  }
  ofLine.set(callee, (ofLine.get(callee) ?? 0n) + value)
}

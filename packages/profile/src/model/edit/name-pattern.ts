// Matches whole names against an expression in RE2's syntax, as Go and pprof use it. Expressions come from files, so matching
// must not backtrack: `(a+)+$` would keep a backtracking engine busy forever. The expression becomes a list of instructions,
// and a match advances all possible positions in that list together, one character at a time.
import type { CharacterTest, PatternNode } from './parse-pattern.ts'
import { PatternError, parsePattern } from './parse-pattern.ts'

/** Larger expressions are rejected. The largest known one, of pprof's allocators, has about 1000 instructions. */
const MAX_INSTRUCTIONS = 10_000

/** Steps of one pattern for all names together: about a second. */
const MAX_STEPS = 200_000_000

type Instruction =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'assert'; readonly holds: (before: number, after: number) => boolean }
  /** Continues at each target. */
  | { readonly kind: 'jump'; readonly targets: readonly number[] }
  | { readonly kind: 'match' }

export class NamePattern {
  readonly #instructions: readonly Instruction[]
  #steps: number

  /** Throws PatternError. */
  constructor(source: string, maxSteps = MAX_STEPS) {
    this.#steps = maxSteps
    this.#instructions = new Compiler().compile(parsePattern(source))
  }

  /** Whether the whole name matches. Throws PatternError if all calls together take too many steps. */
  test(name: string): boolean {
    const characters = Array.from(name, character => character.codePointAt(0)!)
    let current = new Positions(this.#instructions.length)
    let next = new Positions(this.#instructions.length)
    this.#add(current, 0, -1, characters[0] ?? -1)
    for (const [i, character] of characters.entries()) {
      if (current.list.length === 0) return false
      next.clear()
      for (const position of current.list) {
        const instruction = this.#instructions[position]
        if (instruction.kind !== 'character' || !instruction.test(character)) continue
        this.#add(next, position + 1, character, characters[i + 1] ?? -1)
      }
      ;[current, next] = [next, current]
    }
    return current.list.some(position => this.#instructions[position].kind === 'match')
  }

  /** Adds a position and those that it leads to without a character. */
  #add(positions: Positions, start: number, before: number, after: number): void {
    const open = [start]
    for (let position = open.pop(); position !== undefined; position = open.pop()) {
      if (!positions.add(position)) continue
      if (--this.#steps < 0) throw new PatternError('the expression takes too long')
      const instruction = this.#instructions[position]
      if (instruction.kind === 'jump') open.push(...instruction.targets)
      else if (instruction.kind === 'assert' && instruction.holds(before, after)) open.push(position + 1)
    }
  }
}

/** A set of instructions, in the order of their addition. */
class Positions {
  list: number[] = []
  readonly #round: Uint32Array
  #number = 1

  constructor(length: number) {
    this.#round = new Uint32Array(length)
  }

  add(position: number): boolean {
    if (this.#round[position] === this.#number) return false
    this.#round[position] = this.#number
    this.list.push(position)
    return true
  }

  clear(): void {
    this.list = []
    this.#number++
  }
}

class Compiler {
  readonly #instructions: Instruction[] = []
  #visits = 0

  compile(node: PatternNode): readonly Instruction[] {
    this.#node(node)
    this.#instructions.push({ kind: 'match' })
    return this.#instructions
  }

  #node(node: PatternNode): void {
    // Counts nodes instead of instructions, because repeated empty groups have no instructions.
    if (++this.#visits > MAX_INSTRUCTIONS) throw new PatternError('the expression is too large')
    switch (node.kind) {
      case 'character':
      case 'assert':
        this.#instructions.push(node)
        return
      case 'sequence':
        for (const part of node.parts) this.#node(part)
        return
      case 'choice':
        this.#choice(node.parts)
        return
      case 'repeat':
        this.#repeat(node.part, node.min, node.max)
    }
  }

  #choice(parts: readonly PatternNode[]): void {
    const starts: number[] = []
    const ends: number[] = []
    const at = this.#reserve()
    for (const part of parts) {
      starts.push(this.#instructions.length)
      this.#node(part)
      ends.push(this.#reserve())
    }
    this.#jump(at, ...starts)
    for (const end of ends) this.#jump(end, this.#instructions.length)
  }

  #repeat(part: PatternNode, min: number, max: number): void {
    for (let i = 0; i < min; i++) this.#node(part)
    if (max === Infinity) {
      const at = this.#reserve()
      this.#node(part)
      this.#jump(this.#reserve(), at)
      this.#jump(at, at + 1, this.#instructions.length)
      return
    }
    const skips: number[] = []
    for (let i = min; i < max; i++) {
      skips.push(this.#reserve())
      this.#node(part)
    }
    for (const skip of skips) this.#jump(skip, skip + 1, this.#instructions.length)
  }

  #reserve(): number {
    return this.#instructions.push({ kind: 'jump', targets: [] }) - 1
  }

  #jump(at: number, ...targets: readonly number[]): void {
    this.#instructions[at] = { kind: 'jump', targets }
  }
}

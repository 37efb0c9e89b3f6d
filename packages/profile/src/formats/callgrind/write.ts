// Writes the costs of functions and calls as Callgrind's text. A name gets a number at its first use: `(3) main`, then `(3)`.
import { framesFor } from '../../analyze/profile-tree.ts'
import { stackWeights } from '../../analyze/stacks/stack-weights.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { chooseMeasure, countSummedUp } from '../one-measure.ts'
import type { CostFunction } from './call-costs.ts'
import { callCosts } from './call-costs.ts'

export function writeCallgrind(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  const measure = chooseMeasure(profiles, options.type, notes)
  countSummedUp(profiles, notes)
  const frames = framesFor(profiles, { by: 'line' })
  const { functions, total, negative } = callCosts(frames, stackWeights(profiles, measure.rows))
  notes.add('negative-values', 'stacks with a negative sum were dropped because costs cannot be negative', negative)
  const event = eventName(measure.type, measure.unit)
  const lines = [
    '# callgrind format',
    'version: 1',
    'creator: hearth',
    'positions: line',
    `event: ${event} : ${oneLine(`${measure.type} in ${measure.unit}`)}`,
    `events: ${event}`,
    `summary: ${total}`,
    '',
  ]
  const text = new FunctionText(functions)
  for (let i = 0; i < functions.length; i++) text.append(i, lines)
  lines.push(`totals: ${total}`, '')
  return { bytes: encodeUtf8(lines.join('\n')), notes: notes.list() }
}

class FunctionText {
  readonly #functions: readonly CostFunction[]
  readonly #names = { ob: new Map<string, number>(), fl: new Map<string, number>(), fn: new Map<string, number>() }

  constructor(functions: readonly CostFunction[]) {
    this.#functions = functions
  }

  append(row: number, lines: string[]): void {
    const { self, calls, object, file, name } = this.#functions[row]
    lines.push(
      `ob=${this.#named('ob', object)}`,
      `fl=${this.#named('fl', file)}`,
      `fn=${this.#functionName(row, name)}`,
    )
    for (const line of [...new Set([...self.keys(), ...calls.keys()])].sort((a, b) => (a < b ? -1 : 1))) {
      const own = self.get(line)
      if (own !== undefined) lines.push(`${position(line)} ${own}`)
      for (const [callee, cost] of calls.get(line) ?? []) {
        const target = this.#functions[callee]
        lines.push(
          `cob=${this.#named('ob', target.object)}`,
          `cfi=${this.#named('fl', target.file)}`,
          `cfn=${this.#functionName(callee, target.name)}`,
          // The real count is unknown: samples show that a call is active, not when it begins.
          'calls=1 0',
          `${position(line)} ${cost}`,
        )
      }
    }
    lines.push('')
  }

  /** Functions with one name in different files get different numbers. */
  #functionName(row: number, name: string): string {
    return this.#numbered(this.#names.fn, `${row}`, name)
  }

  #named(kind: 'ob' | 'fl', name: string): string {
    return this.#numbered(this.#names[kind], name, name === '' ? '???' : name)
  }

  #numbered(known: Map<string, number>, key: string, name: string): string {
    const number = known.get(key)
    if (number !== undefined) return `(${number})`
    known.set(key, known.size + 1)
    return `(${known.size}) ${oneLine(name)}`
  }
}

/** Line numbers cannot be negative. */
function position(line: bigint): string {
  return line < 0n ? '0' : line.toString()
}

function eventName(type: string, unit: string): string {
  const name = `${type}_${unit}`.replaceAll(/[^A-Za-z0-9_]/g, '_')
  return /^[A-Za-z]/.test(name) ? name : `E${name}`
}

function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- line breaks end an entry, the others would be unreadable
  const line = text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim()
  return line === '' ? '???' : line
}

// Writes the text that `llvm-profdata merge --sample` and clang's -fprofile-sample-use read.
import type { Profiles } from '../../model/columns/profiles.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { chooseMeasure, countSummedUp } from '../one-measure.ts'
import type { FunctionSamples } from './function-samples.ts'
import { sampledFunctions } from './function-samples.ts'

export function writeLlvmSample(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  const { rows } = chooseMeasure(profiles, options.type, notes)
  countSummedUp(profiles, notes)
  const { functions, withoutLines, negative } = sampledFunctions(profiles, rows)
  notes.add(
    'without-lines',
    'stacks were skipped because the function that ran has no name, no line or no first line',
    withoutLines,
  )
  notes.add('negative-values', 'stacks with a negative sum were skipped', negative)
  const lines: string[] = []
  for (const [name, samples] of byTotal(functions)) {
    // The second number counts samples at the entry of the function, which is in its first line.
    lines.push(`${name}:${samples.total}:${samples.body.get(0) ?? 0n}`)
    addLines(samples, 1, lines)
  }
  return { bytes: encodeUtf8(lines.map(line => `${line}\n`).join('')), notes: notes.list() }
}

/** Each level of inlining is indented by one more space. */
function addLines({ body, inlined }: FunctionSamples, depth: number, lines: string[]): void {
  const indent = ' '.repeat(depth)
  for (const [offset, count] of [...body].sort(([a], [b]) => a - b)) lines.push(`${indent}${offset}: ${count}`)
  for (const [offset, callees] of [...inlined].sort(([a], [b]) => a - b)) {
    for (const [name, samples] of byTotal(callees)) {
      lines.push(`${indent}${offset}: ${name}:${samples.total}`)
      addLines(samples, depth + 1, lines)
    }
  }
}

/** The largest first, as LLVM's own tools write them. Ties are ordered by name. */
function byTotal(functions: ReadonlyMap<string, FunctionSamples>): [string, FunctionSamples][] {
  return [...functions].sort(([a, { total: first }], [b, { total: second }]) =>
    first === second ? (a < b ? -1 : 1) : first > second ? -1 : 1,
  )
}

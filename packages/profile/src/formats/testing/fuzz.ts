// Feeds broken input to a format's reader and holds it to its promise: a good result or a typed error that says where, and
// never anything else. What it returns must be sound: every reference inside its table, and writable again.
import { findBadReference } from '../../model/validate/references.ts'
import { CompressionError } from '../../wire/compression/compression.ts'
import type { Format } from '../format.ts'
import { FormatError } from '../format.ts'
import { encodeOtlp } from '../otlp/encode.ts'
import { compact } from '../../model/compact/compact.ts'
import { mutated } from './mutate.ts'
import { below, randomFrom } from './random.ts'

export interface FuzzFailure {
  readonly format: string
  readonly seed: number
  readonly input: Uint8Array
  readonly error: unknown
}

export interface FuzzReport {
  readonly runs: number
  /** Inputs that were still readable: if that were all or none, the mutations would be pointless. */
  readonly read: number
  readonly refused: number
  readonly failure?: FuzzFailure
}

/** Runs until `goOn` says no or something fails. Run `seed` + i is repeatable by itself. */
export function fuzz(
  format: Format,
  corpus: readonly Uint8Array[],
  seed: number,
  goOn: (runs: number) => boolean,
): FuzzReport {
  let runs = 0
  let read = 0
  let refused = 0
  while (goOn(runs)) {
    const input = fuzzInput(corpus, seed + runs)
    runs++
    try {
      checkOne(format, input)
      read++
    } catch (error) {
      if (!isTyped(error, input.length)) {
        return { runs, read, refused, failure: { format: format.name, seed: seed + runs - 1, input, error } }
      }
      refused++
    }
  }
  return { runs, read, refused }
}

export function fuzzInput(corpus: readonly Uint8Array[], seed: number): Uint8Array {
  const random = randomFrom(seed)
  const pick = (): Uint8Array => corpus[below(random, corpus.length)]
  return mutated(pick(), pick(), random)
}

function checkOne(format: Format, input: Uint8Array): void {
  const result = format.read?.(input, {})
  if (result === undefined) throw new Error(`${format.name} has no reader`)
  const bad = findBadReference(result.profiles)
  if (bad !== undefined) throw new Error(`the reader let a bad reference through: ${bad.path}`)
  encodeOtlp(compact(result.profiles))
}

/** Errors by which a reader may refuse: with a place inside the input and something to say. */
function isTyped(error: unknown, length: number): boolean {
  if (error instanceof CompressionError) return true
  return error instanceof FormatError && error.offset >= 0 && error.offset <= length && error.what !== ''
}

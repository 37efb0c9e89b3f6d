// Feeds broken input to a format's reader, every other time with `lenient`. The reader must return a valid result or throw a
// typed error with an offset. In a valid result every reference is inside its table, and the profiles can be written.
import { findBadReference } from '../../model/validate/references.ts'
import { CompressionError } from '../../wire/compression/compression.ts'
import type { Format } from '../format.ts'
import { FormatError } from '../format.ts'
import { encodeOtlp } from '../otlp/encode.ts'
import { compact } from '../../model/compact/compact.ts'
import { mutated } from './mutate.ts'
import { below, randomFrom } from './random.ts'

interface FuzzFailure {
  readonly format: string
  readonly seed: number
  readonly input: Uint8Array
  readonly error: unknown
}

export interface FuzzReport {
  readonly runs: number
  /** Inputs that were still readable. If all or none were, the mutations would be useless. */
  readonly read: number
  readonly rejected: number
  readonly failure?: FuzzFailure
}

/** Runs until `goOn` returns false or a run fails. Run i can be repeated with the seed `seed` + i. */
export function fuzz(
  format: Format,
  corpus: readonly Uint8Array[],
  seed: number,
  goOn: (runs: number) => boolean,
): FuzzReport {
  let runs = 0
  let read = 0
  let rejected = 0
  while (goOn(runs)) {
    const input = fuzzInput(corpus, seed + runs)
    const lenient = (seed + runs) % 2 === 1
    runs++
    try {
      checkOne(format, input, lenient)
      read++
    } catch (error) {
      if (!isTyped(error, input.length)) {
        return { runs, read, rejected, failure: { format: format.name, seed: seed + runs - 1, input, error } }
      }
      rejected++
    }
  }
  return { runs, read, rejected }
}

export function fuzzInput(corpus: readonly Uint8Array[], seed: number): Uint8Array {
  const random = randomFrom(seed)
  const pick = (): Uint8Array => corpus[below(random, corpus.length)]
  return mutated(pick(), pick(), random)
}

function checkOne(format: Format, input: Uint8Array, lenient: boolean): void {
  const result = format.read?.(input, { lenient })
  if (result === undefined) throw new Error(`${format.name} has no reader`)
  const bad = findBadReference(result.profiles)
  if (bad !== undefined) throw new Error(`the reader let a bad reference through: ${bad.path}`)
  encodeOtlp(compact(result.profiles))
}

/** Whether a reader may reject input with this error. Its offset must be inside the input. */
function isTyped(error: unknown, length: number): boolean {
  if (error instanceof CompressionError) return true
  return error instanceof FormatError && error.offset >= 0 && error.offset <= length && error.what !== ''
}

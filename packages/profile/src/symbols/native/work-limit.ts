// Limits the work that a broken or hostile file can cause. Its parts may refer to one another any number of times, so a small
// file could otherwise keep a reader busy for hours.
import { SymbolFileError } from './symbol-file-error.ts'

/** Steps for each byte. Intact files need fewer than ten. */
const STEPS_PER_BYTE = 64
const MIN_STEPS = 10_000_000

export class WorkLimit {
  readonly #format: string
  #left: number

  /** `bytes` is the size of the parts that are read. */
  constructor(format: string, bytes: number) {
    this.#format = format
    this.#left = STEPS_PER_BYTE * bytes + MIN_STEPS
  }

  /** Throws SymbolFileError if the file has caused too many steps. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new SymbolFileError(this.#format, 'parts of the file are used too many times')
  }
}

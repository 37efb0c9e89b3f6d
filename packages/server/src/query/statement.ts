// The values of a statement, each named as it is put in: nothing that came from outside is ever part of its text.
import type { Parameter } from '../store/engine.ts'

export class Values {
  readonly #values: Record<string, Parameter> = {}
  #count = 0

  /** What stands for the value in the text: `{v0:String}`. */
  add(type: string, value: Parameter): string {
    const name = `v${this.#count++}`
    this.#values[name] = value
    return `{${name}:${type}}`
  }

  text(value: string): string {
    return this.add('String', value)
  }

  ids(ids: Iterable<bigint>): string {
    return this.add('Array(UInt64)', [...ids])
  }

  time(nanoseconds: bigint): string {
    return `fromUnixTimestamp64Nano(${this.add('Int64', nanoseconds)})`
  }

  get all(): Readonly<Record<string, Parameter>> {
    return this.#values
  }
}

/** Ids that are looked up at once: 8,000 of up to 20 digits are 168 KB of text. */
export const MOST_IDS = 8_000

// The parameters of a statement. User input is always a parameter, never part of the statement's text.
import type { Parameter } from '../store/engine.ts'

export class Values {
  readonly #values: Record<string, Parameter> = {}
  #count = 0

  /** The placeholder of the value in the text: `{v0:String}`. */
  add(type: string, value: Parameter): string {
    const name = `v${this.#count++}`
    this.#values[name] = value
    return `{${name}:${type}}`
  }

  text(value: string): string {
    return this.add('String', value)
  }

  /** Ids as hex. This takes half of the CPU time of a list of decimals: 6 ms less per statement with 2,000 ids. */
  ids(ids: Iterable<bigint>): string {
    const words = BigUint64Array.from(ids)
    const hex = Buffer.from(words.buffer).toString('hex')
    return `reinterpret(unhex(${this.add('String', hex)}), 'Array(UInt64)')`
  }

  /** The same for ids of two words each, low word first. */
  wordIds(words: Int32Array): string {
    const hex = Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('hex')
    return `reinterpret(unhex(${this.add('String', hex)}), 'Array(UInt64)')`
  }

  time(nanoseconds: bigint): string {
    return `fromUnixTimestamp64Nano(${this.add('Int64', nanoseconds)})`
  }

  get all(): Readonly<Record<string, Parameter>> {
    return this.#values
  }
}

/** Ids per statement: 8,000 of up to 20 digits are 168 KB of text. */
export const MAX_IDS = 8_000

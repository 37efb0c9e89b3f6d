// Reads environment variables. An empty one counts as unset, as OpenTelemetry specifies. An invalid value is reported and
// replaced by the default.
import { parseDurationMs } from '@hearth/profile/recording'
import { EntryListError, parseEntries, parseNames } from './entry-list.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export class Environment {
  readonly #variables: Variables
  readonly #onProblem: (problem: string) => void

  constructor(variables: Variables, onProblem: (problem: string) => void) {
    this.#variables = variables
    this.#onProblem = onProblem
  }

  /** The value of the first variable that is set. */
  text(...names: readonly string[]): string | undefined {
    const name = this.#setOf(names)
    return name === undefined ? undefined : this.#variables[name]!.trim()
  }

  /** Only `true` is true. */
  isTrue(name: string): boolean {
    const text = this.text(name)?.toLowerCase()
    if (text !== undefined && text !== 'true' && text !== 'false') this.#bad(name, 'is neither true nor false', 'false')
    return text === 'true'
  }

  oneOf<T extends string>(values: readonly T[], fallback: T, ...names: readonly string[]): T {
    const name = this.#setOf(names)
    if (name === undefined) return fallback
    const text = this.text(name)!.toLowerCase()
    const found = values.find(value => value === text)
    if (found === undefined) this.#bad(name, `is not one of ${values.join(', ')}`, fallback)
    return found ?? fallback
  }

  /** The names that are among `values`. Others are reported and skipped. */
  someOf<T extends string>(values: readonly T[], fallback: readonly T[], name: string): readonly T[] {
    const text = this.text(name)
    if (text === undefined) return fallback
    const given = parseNames(text.toLowerCase())
    const strange = given.filter(one => !values.some(value => value === one))
    for (const one of strange) this.#onProblem(`${name}: '${one}' is not one of ${values.join(', ')}; skipped`)
    const known = values.filter(value => given.includes(value))
    if (known.length === 0) this.#bad(name, 'contains no known name', fallback.join(','))
    return known.length === 0 ? fallback : known
  }

  number(range: NumberRange, fallback: number, ...names: readonly string[]): number {
    return this.#numeric(text => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN), range, fallback, names)
  }

  /** Milliseconds, or a number with a unit: 500ms, 10s, 1m. */
  millis(range: NumberRange, fallback: number, ...names: readonly string[]): number {
    return this.#numeric(text => parseDurationMs(text, 'ms') ?? Number.NaN, range, fallback, names)
  }

  names(name: string): readonly string[] {
    return parseNames(this.text(name) ?? '')
  }

  /** An invalid list is dropped entirely, as OpenTelemetry specifies. */
  entries(...names: readonly string[]): ReadonlyMap<string, string> {
    const name = this.#setOf(names)
    if (name === undefined) return new Map()
    try {
      return parseEntries(this.#variables[name]!)
    } catch (error) {
      if (!(error instanceof EntryListError)) throw error
      this.#onProblem(`${name}: ${error.message}; the list is ignored`)
      return new Map()
    }
  }

  #setOf(names: readonly string[]): string | undefined {
    return names.find(name => (this.#variables[name] ?? '').trim() !== '')
  }

  #numeric(parse: (text: string) => number, range: NumberRange, fallback: number, names: readonly string[]): number {
    const name = this.#setOf(names)
    if (name === undefined) return fallback
    const fault = faultIn(parse(this.text(name)!.toLowerCase()), range)
    if (fault === undefined) return parse(this.text(name)!.toLowerCase())
    this.#bad(name, fault, String(fallback))
    return fallback
  }

  #bad(name: string, fault: string, used: string): void {
    this.#onProblem(`${name} ${fault}; using ${used}`)
  }
}

export interface NumberRange {
  readonly min: number
  readonly max: number
}

export function faultIn(value: number, { min, max }: NumberRange): string | undefined {
  return value >= min && value <= max ? undefined : `is not a number from ${min} to ${max}`
}

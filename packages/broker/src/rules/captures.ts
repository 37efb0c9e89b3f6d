// The values that a rule captures from its subject during a match. A rule or branch that fails discards its captures.

/** The name under which the path after a prefix is stored. No pattern can have this name. */
const SUFFIX = ''

export interface RuleMatch {
  /** Captured values by the names in the patterns. */
  readonly params: Readonly<Record<string, string>>
  /** The path after the prefix of a PathPrefix, with its slash. */
  readonly pathSuffix: string | undefined
}

const NOTHING: RuleMatch = Object.freeze({
  params: Object.freeze(Object.create(null) as Record<string, string>),
  pathSuffix: undefined,
})

export class Captures {
  readonly #taken: string[] = []
  #length = 0

  get mark(): number {
    return this.#length
  }

  /** Discards the captures since then. */
  backTo(mark: number): void {
    this.#length = mark
  }

  take(name: string, value: string): void {
    this.#taken[this.#length++] = name
    this.#taken[this.#length++] = value
  }

  takeSuffix(suffix: string): void {
    this.take(SUFFIX, suffix)
  }

  match(): RuleMatch {
    if (this.#length === 0) return NOTHING
    const params = Object.create(null) as Record<string, string>
    let pathSuffix: string | undefined
    for (let i = 0; i < this.#length; i += 2) {
      const name = this.#taken[i]
      if (name === SUFFIX) pathSuffix = this.#taken[i + 1]
      else params[name] = this.#taken[i + 1]
    }
    return { params, pathSuffix }
  }
}

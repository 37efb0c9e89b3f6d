// What a rule takes out of its subject while it is being tried. A rule that fails, or a branch of it, takes back what it
// took, so that nothing of it is seen.

/** Under this name the path behind a prefix is kept: no pattern can have it. */
const SUFFIX = ''

export interface RuleMatch {
  /** By the names in its patterns. */
  readonly params: Readonly<Record<string, string>>
  /** What follows the prefix of a PathPrefix, with its slash. */
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

  /** Takes back what was taken since. */
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

// The problems that `validate` finds. Only reported problems are described, so a payload that breaks one rule a million
// times needs a million counts, but not a million paths.
import type { Level, Rule, RuleId } from './rules.ts'
import { ALL_RULES } from './rules.ts'

export interface Problem<Id extends string = RuleId> {
  /**
   * Proto field names and row numbers: `dictionary.location_table[5].lines[0].line`. Empty for the complete payload.
   */
  readonly path: string
  readonly rule: Id
  readonly level: Level
  readonly message: string
}

/** The problems of one rule. `count` includes those beyond the limit. */
interface Kept<Id extends string> {
  readonly level: Level
  readonly problems: Problem<Id>[]
  count: number
}

export class ProblemList<Id extends string = RuleId> {
  /** If false, only MUST rules are checked. */
  readonly strict: boolean
  readonly #limit: number
  readonly #kept = new Map<string, Kept<Id>>()

  constructor(strict: boolean, limit: number, rules: readonly Pick<Rule, 'id' | 'level'>[] = ALL_RULES) {
    this.strict = strict
    this.#limit = limit >= 0 ? limit : 0
    for (const { id, level } of rules) {
      if (strict || level === 'must') this.#kept.set(id, { level, problems: [], count: 0 })
    }
  }

  /** `describe` returns the path and the message. */
  add(rule: Id, describe: () => readonly [path: string, message: string]): void {
    const kept = this.#kept.get(rule)
    if (kept === undefined) return
    kept.count++
    // One more than the limit is described: its path is where the rest starts.
    if (kept.count > this.#limit + 1) return
    const [path, message] = describe()
    kept.problems.push({ path, rule, level: kept.level, message })
  }

  /**
   * In the order of the rules. If a rule is broken more often than the limit, its last problem reports how many more.
   */
  list(): Problem<Id>[] {
    const all: Problem<Id>[] = []
    for (const { level, problems, count } of this.#kept.values()) {
      const more = count - this.#limit
      if (more <= 1) all.push(...problems)
      else {
        const { path, rule } = problems[problems.length - 1]
        all.push(...problems.slice(0, -1), {
          path,
          rule,
          level,
          message: `${more} more problems of this kind, starting here`,
        })
      }
    }
    return all
  }
}

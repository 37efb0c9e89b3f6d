// Checks profiles against the rules of the data format: every MUST, and with `strict` every SHOULD. Time is linear in
// the size of the payload. rules.ts lists the rules; each group of rules is checked in its own file.
import type { Profiles } from '../columns/profiles.ts'
import { checkAttributes } from './attributes.ts'
import { findDuplicates } from './canonical-rows.ts'
import { checkContainers } from './containers.ts'
import { checkDictionaryRows } from './dictionary-rows.ts'
import { findOrphans } from './orphans.ts'
import type { Problem } from './problems.ts'
import { ProblemList } from './problems.ts'
import { checkProfileRows } from './profile-rows.ts'
import { eachBadReference, findBadReference } from './references.ts'
import { checkSamples } from './samples.ts'
import { checkStrings } from './strings.ts'
import { checkZeroRows } from './zero-rows.ts'

export type { Problem } from './problems.ts'

export interface ValidateOptions {
  /** Also reports broken SHOULDs. */
  readonly strict?: boolean
  /**
   * The maximum number of reported problems per rule, 100 by default. One more problem then reports how many were
   * omitted.
   */
  readonly limit?: number
  /** Skips the check of references, for profiles that a reader returned: it has checked every index. */
  readonly areReferencesChecked?: boolean
  /** Skips the dictionary's own rows, which were checked before. */
  readonly skipDictionary?: boolean
}

export const DEFAULT_LIMIT = 100

/** Returns an empty list if no rule is broken. Problems come in the order of RULES. */
export function validate(profiles: Profiles, options: ValidateOptions = {}): Problem[] {
  const problems = new ProblemList(options.strict ?? false, options.limit ?? DEFAULT_LIMIT)
  if (options.areReferencesChecked !== true && findBadReference(profiles) !== undefined) {
    // Rows that do not exist cannot be checked further.
    eachBadReference(profiles, describe =>
      problems.add('reference-range', () => {
        const { path, index, table, length } = describe()
        return [path, `${index} is out of range: ${table} has ${length} rows`]
      }),
    )
    return problems.list()
  }
  const skipDictionary = options.skipDictionary ?? false
  if (!skipDictionary) {
    checkZeroRows(profiles, problems)
    checkStrings(profiles, problems)
    checkDictionaryRows(profiles, problems)
  }
  if (problems.strict) checkDictionaryUse(profiles, problems)
  checkAttributes(profiles, problems, skipDictionary)
  checkProfileRows(profiles, problems)
  checkSamples(profiles, problems)
  checkContainers(profiles, problems)
  return problems.list()
}

function checkDictionaryUse(profiles: Profiles, problems: ProblemList): void {
  findDuplicates(profiles.dictionary, (table, row, first) =>
    problems.add('dictionary-duplicate', () => [`dictionary.${table}[${row}]`, `it equals ${table}[${first}]`]),
  )
  findOrphans(profiles, (table, row) =>
    problems.add('dictionary-orphan', () => [
      `dictionary.${table}[${row}]`,
      'it is not reachable from any sample or profile',
    ]),
  )
}

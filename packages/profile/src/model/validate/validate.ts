// Whether profiles keep the rules of the data format: every MUST, and with `strict` every SHOULD. Linear in the size of
// the payload. What the rules are is in rules.ts, each group of them is checked in a file of its own.
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
  /** Tells of broken SHOULDs too. */
  readonly strict?: boolean
  /** How many problems of one rule are told, 100 if not given; then one more that says how many there are. */
  readonly limit?: number
}

const DEFAULT_LIMIT = 100

/** Empty where all is well. Problems come in the order of RULES. */
export function validate(profiles: Profiles, options: ValidateOptions = {}): Problem[] {
  const problems = new ProblemList(options.strict ?? false, options.limit ?? DEFAULT_LIMIT)
  if (findBadReference(profiles) !== undefined) {
    // Nothing else can be said of rows that are not there.
    eachBadReference(profiles, describe =>
      problems.add('reference-range', () => {
        const { path, index, table, length } = describe()
        return [path, `${index} is not a row of ${table}, which has ${length}`]
      }),
    )
    return problems.list()
  }
  checkZeroRows(profiles, problems)
  if (problems.strict) checkDictionaryUse(profiles, problems)
  checkStrings(profiles, problems)
  checkAttributes(profiles, problems)
  checkDictionaryRows(profiles, problems)
  checkProfileRows(profiles, problems)
  checkSamples(profiles, problems)
  checkContainers(profiles, problems)
  return problems.list()
}

function checkDictionaryUse(profiles: Profiles, problems: ProblemList): void {
  findDuplicates(profiles.dictionary, (table, row, first) =>
    problems.add('dictionary-duplicate', () => [`dictionary.${table}[${row}]`, `the same as ${table}[${first}]`]),
  )
  findOrphans(profiles, (table, row) =>
    problems.add('dictionary-orphan', () => [`dictionary.${table}[${row}]`, 'no sample and no profile leads to it']),
  )
}

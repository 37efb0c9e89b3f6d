// The totals of a query as one profile, with complete stacks: the values of its flame graph in a file.
import type { Profiles, StackIndex } from '@hearth/profile'
import { ProfilesBuilder, exactSum } from '@hearth/profile'
import type { Query } from '../query.ts'
import { QueryError } from '../query-error.ts'
import type { QueryContext } from '../query-context.ts'
import { DictionaryCarrier } from '../resident/dictionary-carrier.ts'
import { sumByStack } from '../trees/summed-stacks.ts'

const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n]

/** `withNames` keeps the names of native frames from debug files. Throws QueryError if no profile matches or the profiles cannot be added up. */
export async function mergeProfiles(context: QueryContext, query: Query, withNames = true): Promise<Profiles> {
  const { measured, resident, stacks, sums } = await sumByStack(context, query)
  if (measured.profiles === 0) throw new QueryError('not-found', 'no profile matches')
  const { type, unit, from, to } = measured
  const builder = new ProfilesBuilder()
  builder.profile({ type, unit, timeUnixNano: from, durationNano: to - from })
  const { dictionary, native } = resident.symbols
  const carrier = new DictionaryCarrier(dictionary, builder, location => withNames || !native.isNamed(location))
  for (let row = 0; row < sums.length; row++) {
    const stack = carrier.stack(stacks[row] as StackIndex)
    // A sum beyond 64 bits becomes several samples.
    for (let rest = exactSum(sums.weight[row], sums.exact?.[row]); rest !== 0n;) {
      const value = rest > MOST ? MOST : rest < LEAST ? LEAST : rest
      builder.sample({ stack, values: [value] })
      rest -= value
    }
  }
  context.residents.trim()
  return builder.build()
}

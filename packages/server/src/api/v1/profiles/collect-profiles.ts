// Exported profiles in memory, within the tenant's limit of samples.
import type { Profiles } from '@hearth/profile'
import { QueryError } from '../../../query/query-error.ts'
import type { TenantLimits } from '../limits/query-gate.ts'

/** Throws QueryError if there are too many samples, or with the message `ifNone` if there is no profile. */
export async function collectProfiles(
  sets: AsyncIterable<Profiles>,
  { exportSamples }: TenantLimits,
  ifNone: string,
): Promise<readonly Profiles[]> {
  const collected: Profiles[] = []
  let samples = 0
  for await (const set of sets) {
    samples += set.samples.length
    if (samples > exportSamples) {
      const advice = 'choose a shorter range, or stream'
      throw new QueryError('too-many-rows', `more than ${exportSamples} samples in one file; ${advice}`)
    }
    collected.push(set)
  }
  if (collected.length === 0) throw new QueryError('not-found', ifNone)
  return collected
}

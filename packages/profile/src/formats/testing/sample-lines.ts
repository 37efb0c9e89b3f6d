// The samples of a profile as readable text, root first.
import type { LocationIndex } from '../../model/columns/brand.ts'
import { frameName } from '../../model/text/frame-name.ts'
import type { Profiles } from '../../model/columns/profiles.ts'

/** `main;run 3+1@10,20` for each sample of a profile. */
export function sampleLines(
  payload: Profiles,
  profile: number,
  frameText = (location: LocationIndex): string =>
    frameName(payload.dictionary, location, payload.dictionary.locations.linesFrom(location)),
): string[] {
  const { dictionary, profiles, samples } = payload
  const { stacks } = dictionary
  const result: string[] = []
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    const stack = samples.stack(i)
    const names = stacks.locations.slice(stacks.from(stack), stacks.to(stack)).map(frameText)
    const values = samples.values.signed().slice(samples.valuesFrom(i), samples.valuesTo(i))
    const times = samples.timestamps.unsigned().slice(samples.timestampsFrom(i), samples.timestampsTo(i))
    result.push(`${names.toReversed().join(';')} ${values.join('+')}@${times.join(',')}`)
  }
  return result
}

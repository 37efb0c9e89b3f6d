// Adds attribute values as functions at the root of stacks, like pprof's -tagroot. Formats and tools that distinguish samples
// only by their stacks need it. The original payload is dropped, because its stacks differ.
import type { LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { carryProfiles } from '../../model/merge/carry-profiles.ts'
import { DictionaryTransfer } from '../../model/build/dictionary-transfer.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, SAMPLE_STRIDE } from '../../model/columns/profiles.ts'
import { RootFrames, rootName } from './root-frames.ts'
import { rootedStacks } from './rooted-stacks.ts'

/** `keys` are those of FrameOptions.roots. */
export function withRootFrames(profiles: Profiles, keys: readonly string[]): Profiles {
  if (keys.length === 0) return profiles
  const builder = new ProfilesBuilder()
  const { dictionary, draft } = builder
  const transfer = new DictionaryTransfer(profiles.dictionary, dictionary)
  carryProfiles(profiles, transfer, dictionary, draft)
  const roots = new RootFrames(keys, 0)
  const all = Array.from({ length: profiles.profiles.length }, (_, i) => i)
  const { length, depth, ints, ofSample } = rootedStacks(profiles, all, roots)
  const locations = roots.list.map(root =>
    builder.location({ lines: [{ function: builder.function({ name: rootName(root) }) }] }),
  )
  const { stacks } = profiles.dictionary
  const rooted = new Int32Array(length)
  for (let row = 0; row < length; row++) {
    const at = row * (depth + 1)
    const stack = ints[at] as StackIndex
    const path: LocationIndex[] = stacks.locations
      .slice(stacks.from(stack), stacks.to(stack))
      .map(each => transfer.location(each))
    for (let k = depth; k > 0; k--) path.push(locations[ints[at + k]])
    rooted[row] = builder.stack(path)
  }
  for (let i = 0; i < ofSample.length; i++) draft.samples.array[i * SAMPLE_STRIDE] = rooted[ofSample[i]]
  for (let row = 0; row < draft.profiles.length; row += PROFILE_STRIDE) {
    draft.profiles.array.fill(0, row + ProfileColumn.formatOffset, row + ProfileColumn.payloadLength + 1)
  }
  return builder.build()
}

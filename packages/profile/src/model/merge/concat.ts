// Combines several payloads into one: all their resources, scopes and profiles in order, over one dictionary. For files
// with more than one message. Unlike `merge`, it sums nothing.
import { carryProfiles } from './carry-profiles.ts'
import { DictionaryBuilder } from '../build/dictionary-builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { Profiles } from '../columns/profiles.ts'
import { EMPTY_PROFILES, ProfilesDraft } from '../columns/profiles-draft.ts'

/** A single input is returned unchanged. */
export function concat(inputs: readonly Profiles[]): Profiles {
  if (inputs.length === 0) return EMPTY_PROFILES
  if (inputs.length === 1) return inputs[0]
  const dictionary = new DictionaryBuilder()
  const draft = new ProfilesDraft()
  let transfer: DictionaryTransfer | undefined
  for (const input of inputs) {
    transfer = transfer?.next(input.dictionary) ?? new DictionaryTransfer(input.dictionary, dictionary)
    carryProfiles(input, transfer, dictionary, draft)
  }
  dictionary.writeTo(draft)
  const { array, length } = dictionary.bytes
  return draft.freeze(array.subarray(0, length))
}

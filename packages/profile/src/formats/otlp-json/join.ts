// Joins the messages of a file into one set of profiles. Each is merged as soon as it is read, because a file may contain a
// million messages, and each takes some kilobytes.
import { carryProfiles } from '../../model/merge/carry-profiles.ts'
import { DictionaryBuilder } from '../../model/build/dictionary-builder.ts'
import { DictionaryTransfer } from '../../model/build/dictionary-transfer.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ProfilesDraft } from '../../model/columns/profiles-draft.ts'

export class ProfilesJoin {
  #first: Profiles | undefined
  #dictionary: DictionaryBuilder | undefined
  #transfer: DictionaryTransfer | undefined
  readonly #draft = new ProfilesDraft()

  add(profiles: Profiles): void {
    if (this.#first === undefined) this.#first = profiles
    else if (profiles.resources.length > 0) {
      if (this.#dictionary === undefined) this.#carry(this.#first)
      this.#carry(profiles)
    }
  }

  /** Returns the joined profiles. A single message is returned unchanged. */
  finish(): Profiles {
    if (this.#dictionary === undefined) return this.#first ?? this.#draft.freeze(new Uint8Array(0))
    this.#dictionary.writeTo(this.#draft)
    const { array, length } = this.#dictionary.bytes
    return this.#draft.freeze(array.subarray(0, length))
  }

  #carry(profiles: Profiles): void {
    const dictionary = (this.#dictionary ??= new DictionaryBuilder())
    this.#transfer =
      this.#transfer?.next(profiles.dictionary) ?? new DictionaryTransfer(profiles.dictionary, dictionary)
    carryProfiles(profiles, this.#transfer, dictionary, this.#draft)
  }
}

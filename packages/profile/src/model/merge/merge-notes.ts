// What `merge` has to tell: which parts could not be carried, and where profiles were kept apart.

export interface MergeNote {
  readonly code: MergeNoteCode
  readonly count: number
  readonly message: string
}

const MESSAGES = {
  'kept-apart-unit': 'profiles of one type were not added up, because their units differ',
  'kept-apart-period': 'profiles of one type were not added up, because their periods differ',
  'kept-apart-shape':
    'profiles of one type were not added up, because some have timestamps or values that others have not',
  overflow: 'sums did not fit into 64 bits and became two or more samples each',
  'irregular-samples': 'samples with neither one value nor matching values and timestamps were kept as they are',
  'profile-id-dropped': 'profile ids were dropped, because the profiles became parts of others',
  'original-payload-dropped': 'bytes of original payloads were dropped, because the profiles became parts of others',
  'dropped-attributes-saturated': 'sums of dropped attributes did not fit into 32 bits',
  'duration-saturated': 'time ranges did not fit into 64 bits',
  'duration-without-time-dropped': 'durations of profiles without a time were dropped next to profiles that have one',
} as const

export type MergeNoteCode = keyof typeof MESSAGES

export class MergeNotes {
  readonly #counts = new Map<MergeNoteCode, number>()

  add(code: MergeNoteCode, count: number): void {
    if (count > 0) this.#counts.set(code, (this.#counts.get(code) ?? 0) + count)
  }

  list(): MergeNote[] {
    return Array.from(this.#counts, ([code, count]) => ({ code, count, message: MESSAGES[code] }))
  }
}

// The notes of a merge: which parts could not be carried over, and which profiles could not be summed.

export interface MergeNote {
  readonly code: MergeNoteCode
  readonly count: number
  readonly message: string
}

const MESSAGES = {
  'kept-apart-unit': 'profiles of the same type were not summed because their units differ',
  'kept-apart-period': 'profiles of the same type were not summed because their periods differ',
  'kept-apart-shape': 'profiles of the same type were not summed because only some of them have timestamps or values',
  'kept-apart-unknown-fields': 'profiles of the same type were not summed because their unknown fields differ',
  'kept-apart-start': 'cumulative profiles were not summed because their start times differ',
  superseded: 'cumulative profiles were replaced by later ones with the same start time',
  'snapshots-averaged': 'snapshots of a state, such as the live heap, were averaged over time for each instance',
  'snapshots-replaced':
    'snapshots of a state, such as the live heap, were replaced by the one that counts for their instance',
  'timestamps-averaged': 'timestamps of samples were dropped, because their values were averaged over time',
  overflow: 'sums did not fit into 64 bits and became two or more samples each',
  'irregular-samples': 'samples with neither one value nor matching values and timestamps were kept unchanged',
  'profile-id-dropped': 'profile ids were dropped, because the profiles were merged',
  'original-payload-dropped': 'original payloads were dropped, because the profiles were merged',
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

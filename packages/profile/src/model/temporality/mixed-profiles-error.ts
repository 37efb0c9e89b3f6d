/** Profiles of different types, units or temporalities, which have no common sum. */
export class MixedProfilesError extends RangeError {
  override readonly name = 'MixedProfilesError'
}

// The profiles of a selection by series and form, from the catalog.
import type { Selection } from '../select/selection.ts'
import type { Presence } from './tenant-catalog.ts'

/**
 * Undefined if only the store knows it. `ofSamples` counts only profiles with a selected sample. Otherwise conditions on
 * samples are ignored.
 */
export async function presentProfiles(
  selection: Selection,
  { ofSamples }: { readonly ofSamples: boolean },
): Promise<Presence[] | undefined> {
  const { running, series, fitsProfile } = selection
  if (fitsProfile === undefined || (ofSamples && selection.bySample)) return undefined
  const found = (await running.catalog())?.within(series, running)
  return found?.filter(({ form }) => fitsProfile(form.attributes))
}

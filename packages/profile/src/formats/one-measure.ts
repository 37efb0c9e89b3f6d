// For formats that show one measure of a payload: selects the profiles to sum, and reports what is lost.
import type { Profiles } from '../model/columns/profiles.ts'
import { canonicalUnit } from '../model/text/units.ts'
import type { NoteList } from './format.ts'

export interface Measure {
  readonly type: string
  readonly unit: string
  /** The profiles of this measure. Empty if the payload has no profiles. */
  readonly rows: readonly number[]
}

/** Returns the measure of the first profile, or of the first one of `type`. Throws RangeError if there is none. */
export function chooseMeasure(payload: Profiles, type: string | undefined, notes: NoteList): Measure {
  const { profiles, dictionary } = payload
  const { strings } = dictionary
  const all = Array.from({ length: profiles.length }, (_, i) => i)
  const typeOf = (i: number): string => strings.text(profiles.type(i))
  const unitOf = (i: number): string => canonicalUnit(strings.text(profiles.unit(i)))
  const first = type === undefined ? all[0] : all.find(i => typeOf(i) === type)
  if (first === undefined) {
    if (type === undefined) return { type: '', unit: '', rows: [] }
    throw new RangeError(
      `there is no profile of type ${JSON.stringify(type)}, only ${[...new Set(all.map(typeOf))].join(', ')}`,
    )
  }
  const rows = all.filter(i => typeOf(i) === typeOf(first) && unitOf(i) === unitOf(first))
  notes.add('profiles-left-out', 'profiles of other types or units are not written', all.length - rows.length)
  notes.add('profiles-added-up', 'profiles of the same type and unit are summed', rows.length > 1 ? rows.length : 0)
  return { type: typeOf(first), unit: strings.text(profiles.unit(first)), rows }
}

/** Adds notes for the content that a sum by stack cannot represent. */
export function countSummedUp({ samples, profiles }: Profiles, notes: NoteList): void {
  let links = 0
  for (let i = 0; i < samples.length; i++) if (samples.link(i) !== 0) links++
  notes.add('attributes', 'attributes of samples are not written: equal stacks are summed', samples.attributes.length)
  notes.add('links', 'links of samples to spans are not written', links)
  notes.add('timestamps', 'timestamps are not written: values are summed', samples.timestamps.length)
  notes.add('profile-attributes', 'attributes of profiles are not written', profiles.attributes.length)
}

// Selects how values are normalised.
import type { JSX } from 'preact'
import type { Normalisation } from '../../address/normalisation.ts'
import { NORMALISATIONS, NORMALISATION_TITLES } from '../../address/normalisation.ts'

export interface NormaliseSelectProps {
  readonly per: Normalisation
  readonly onPer: (per: Normalisation) => void
  /** The normalisations to select from; all by default. */
  readonly options?: readonly Normalisation[]
  /** The reason why a normalisation is not available for this data. */
  readonly missing?: Partial<Readonly<Record<Normalisation, string>>>
}

export function NormaliseSelect({
  per,
  onPer,
  options = NORMALISATIONS,
  missing = {},
}: NormaliseSelectProps): JSX.Element {
  return (
    <select
      aria-label="Normalise"
      title={missing[per] ?? 'Normalise values'}
      value={per}
      onChange={event => onPer(event.currentTarget.value as Normalisation)}
    >
      {options.map(each => (
        <option key={each} value={each} disabled={missing[each] !== undefined && each !== per}>
          {NORMALISATION_TITLES[each]}
        </option>
      ))}
    </select>
  )
}

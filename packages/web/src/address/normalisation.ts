// How values of profiles are normalised. The same choice applies to every screen that shows them.
import { choice } from './route-fields.ts'

export const NORMALISATIONS = ['total', 'second', 'core', 'request', 'share'] as const
export type Normalisation = (typeof NORMALISATIONS)[number]

export const NORMALISATION_TITLES: Readonly<Record<Normalisation, string>> = {
  total: 'Total',
  second: 'Per second',
  core: 'Per CPU core',
  request: 'Per request',
  share: 'Share',
}

/** The parameter of addresses. */
export const perField = ['per', choice(NORMALISATIONS, 'total')] as const

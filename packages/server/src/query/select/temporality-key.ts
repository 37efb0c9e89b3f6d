// The attribute that states the temporality of a profile.
import { ATTRIBUTES } from '@hearth/profile'

export type Temporality = 'delta' | 'cumulative' | 'unspecified'

export const TEMPORALITY_KEY = ATTRIBUTES.aggregationTemporality

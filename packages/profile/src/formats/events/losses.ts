// The losses of each direction, for the binary and the text form.
import type { Format } from '../format.ts'

export const eventLosses: Pick<Required<Format>, 'reads' | 'writes'> = {
  reads: {
    losses: [
      'fractions of a nanosecond, for clocks faster than 1 GHz',
      'times and durations without a clock',
      'ids of functions',
    ],
  },
  writes: { losses: ['units of attributes', 'resources and scopes without profiles'] },
}

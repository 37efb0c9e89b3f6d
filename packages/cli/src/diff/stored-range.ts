// A range of time on one side of a comparison, as `now-2h..now-1h`; the server reads the moments.
import { InvalidArgumentError } from 'commander'

export interface StoredRange {
  readonly from: string
  /** Undefined where nothing follows the dots. */
  readonly to: string | undefined
}

/** For options: `FROM..TO`, `FROM..` and `FROM`. */
export function storedRange(text: string): StoredRange {
  const dots = text.indexOf('..')
  const from = dots === -1 ? text : text.slice(0, dots)
  const to = dots === -1 ? '' : text.slice(dots + 2)
  if (from === '' || to.includes('..')) throw new InvalidArgumentError('It must be FROM..TO, as now-2h..now-1h.')
  return { from, to: to === '' ? undefined : to }
}

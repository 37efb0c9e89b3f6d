// The time range of one side of a comparison, such as `now-2h..now-1h`. The server parses the times.
import { InvalidArgumentError } from 'commander'

export interface StoredRange {
  readonly from: string
  /** Undefined if nothing follows the dots. */
  readonly to: string | undefined
}

/** Parses `FROM..TO`, `FROM..` and `FROM`. */
export function storedRange(text: string): StoredRange {
  const dots = text.indexOf('..')
  const from = dots === -1 ? text : text.slice(0, dots)
  const to = dots === -1 ? '' : text.slice(dots + 2)
  if (from === '' || to.includes('..')) throw new InvalidArgumentError('It must be FROM..TO, such as now-2h..now-1h.')
  return { from, to: to === '' ? undefined : to }
}

// The share of the first of two panes.

const MIN = 0.1
const MAX = 0.9
const STEP = 0.02

/** The share within its limits. `fallback` replaces a text that is no number. */
export function limitedShare(share: number, fallback: number): number {
  return Math.min(MAX, Math.max(MIN, Number.isFinite(share) ? share : fallback))
}

/** Returns undefined for keys without a meaning. */
export function shareAfterKey(key: string, share: number, fallback: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowUp':
      return share - STEP
    case 'ArrowRight':
    case 'ArrowDown':
      return share + STEP
    case 'Home':
      return MIN
    case 'End':
      return MAX
    case 'Enter':
      return fallback
    default:
      return undefined
  }
}

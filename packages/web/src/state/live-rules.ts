// When a screen may refresh by itself.

/** Seconds; 0 for never. */
export const LIVE_INTERVALS = [0, 5, 10, 30, 60] as const
export type LiveInterval = (typeof LIVE_INTERVALS)[number]

export interface LiveState {
  /** Whether the tab is hidden. */
  readonly isHidden: boolean
  /** Whether the pointer is over data that would move. */
  readonly isHovered: boolean
  /** Whether a menu or dialog is open, or a request is running. */
  readonly isBusy: boolean
  /** Whether a field has the focus. */
  readonly isTyping: boolean
}

export function canRefresh({ isHidden, isHovered, isBusy, isTyping }: LiveState): boolean {
  return !isHidden && !isHovered && !isBusy && !isTyping
}

export function intervalTitle(seconds: LiveInterval): string {
  return seconds === 0 ? 'Off' : seconds === 60 ? '1 min' : `${seconds} s`
}

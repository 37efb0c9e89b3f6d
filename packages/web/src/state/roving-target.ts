// The control that an arrow key leads to.

interface Caret {
  readonly start: number
  readonly end: number
  readonly length: number
}

export interface ArrowPlace {
  /** Undefined outside of text fields. */
  readonly caret?: Caret | undefined
  /** Whether the keys up and down move as well. */
  readonly isList?: boolean
}

/** Returns undefined if the key keeps its own meaning. In a text field, arrows leave it only at its ends. */
export function targetOfArrow(key: string, at: number, count: number, place: ArrowPlace = {}): number | undefined {
  const { caret, isList = false } = place
  const forward = key === 'ArrowRight' || (isList && key === 'ArrowDown')
  const back = key === 'ArrowLeft' || (isList && key === 'ArrowUp')
  if (at < 0 || count < 2 || (!forward && !back)) return undefined
  if (caret !== undefined) {
    const isAtEnd = forward ? caret.start === caret.length : caret.end === 0
    if (!isAtEnd) return undefined
  }
  return (at + (forward ? 1 : count - 1)) % count
}

// The ascending order of texts, by UTF-16 units, and of 64-bit numbers, for `sort`. Two functions, because V8 compares
// values of one type faster.

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function compareLongs(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

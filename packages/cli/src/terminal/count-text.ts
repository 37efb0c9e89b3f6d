// Counts as text: `1,234` and `1,234 samples`. Without Intl, so that the text does not depend on the machine.
import { formatExact } from '@hearth/profile'

export function countText(count: number): string {
  return formatExact(BigInt(count), '1')
}

/** `1 sample`, `2 samples`. */
export function countOf(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`
}

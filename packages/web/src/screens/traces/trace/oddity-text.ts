// What is odd about a span, for people.
import type { SpanOddity } from '@hearth/client'

const TEXTS: Readonly<Record<SpanOddity, string>> = {
  'no-end': 'It has no end, or one before its start',
  'missing-parent': 'Its parent was not sent; it is shown at the top',
  'before-parent': 'It starts before its parent: clocks differ',
  'after-parent': 'It ends after its parent: it went on without it, or clocks differ',
  circle: 'It is its own ancestor; it is shown at the top',
  'same-id': 'Another span has the same id',
}

export function oddityText(oddity: SpanOddity): string {
  return TEXTS[oddity]
}

// Descriptions of inconsistencies of a span.
import type { SpanOddity } from '@hearth/client'

const TEXTS: Readonly<Record<SpanOddity, string>> = {
  'no-end': 'No end time, or end before start',
  'missing-parent': 'Parent span not received; shown at the top',
  'before-parent': 'Starts before its parent (clock skew)',
  'after-parent': 'Ends after its parent (asynchronous, or clock skew)',
  circle: 'The span is its own ancestor; shown at the top',
  'same-id': 'Another span has the same ID',
}

export function oddityText(oddity: SpanOddity): string {
  return TEXTS[oddity]
}

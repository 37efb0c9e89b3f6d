// Distinguishes the text form of the timestamped-events proposal from other text. It starts with the name of one of its
// tables, followed by a list or a message. JSON has its names in quotes.
import type { Confidence } from '../format.ts'
import { WireError } from '../../wire/wire-error.ts'
import { isMessage, messageNamed } from './schema.ts'
import { Tokens } from './tokens.ts'

/** Tables that other text formats are unlikely to name. */
const DISTINCTIVE: readonly string[] = ['events', 'event_types', 'clocks']
const MAX_TOKENS = 5000

export function detectEventsText(head: Uint8Array): Confidence {
  const tokens = new Tokens(head)
  const { byName } = messageNamed('Profile')
  let confidence: Confidence = 'no'
  let depth = 0
  try {
    for (let count = 0; count < MAX_TOKENS && tokens.next() !== 'end'; count++) {
      if ('{[<'.includes(tokens.kind)) depth++
      else if ('}]>'.includes(tokens.kind)) depth--
      if (depth !== 0 || tokens.kind !== 'name') {
        if (confidence === 'no' && depth !== 0) return 'no'
        continue
      }
      const name = tokens.text()
      const field = byName.get(name)
      const at = tokens.to
      const hasColon = tokens.next() === ':'
      const follows = hasColon ? tokens.next() : tokens.kind
      const fits = field !== undefined && (isMessage(field.type) ? '{[<'.includes(follows) : hasColon)
      if (!fits) return confidence
      if (DISTINCTIVE.includes(name)) return 'certain'
      confidence = 'possible'
      tokens.to = at
    }
  } catch (error) {
    // Truncated inside a string, or not this format.
    if (!(error instanceof WireError)) throw error
  }
  return confidence
}

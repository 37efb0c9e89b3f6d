// Tells the text of `perf script` from other text: by its header, or by a sample with a frame.
import type { Confidence } from '../format.ts'
import { NONE } from '../../model/columns/brand.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FrameLine } from './frame-line.ts'
import { ScriptHeader } from './header.ts'
import { SampleLine } from './sample-line.ts'
import { HASH, isBlank, LF, trimEnd } from './text.ts'

/** Enough to be sure. */
const MAX_LINES = 400
/** Facts in the header that nothing else has so many of. */
const ENOUGH_FACTS = 3

export function detectPerfScript(head: Uint8Array): Confidence {
  if (head.some(isControl)) return 'no'
  const header = new ScriptHeader()
  const sample = new SampleLine()
  const frame = new FrameLine()
  let isInSample = false
  let samples = 0
  let others = 0
  let from = 0
  for (let lines = 0; from < head.length && lines < MAX_LINES; lines++) {
    const found = head.indexOf(LF, from)
    const next = found < 0 ? head.length : found
    const end = next > from && head[next - 1] === 0x0d ? next - 1 : next
    const to = trimEnd(head, from, end)
    if (to === from) isInSample = false
    else if (head[from] === HASH) header.line(decodeUtf8(head, from, Math.min(to, from + 1000)))
    else if (sample.parseTimed(head, from, to)) {
      if (sample.isOtherRecord) return 'certain'
      if (sample.event.from !== NONE || sample.restFrom < to) samples++
      isInSample = true
      if (sample.restFrom < to && isFrame(frame, head, sample.restFrom, to)) return 'certain'
    } else if (isInSample && isBlank(head[from]) && isFrame(frame, head, from, to)) return 'certain'
    else if (sample.parseUntimed(head, from, to)) {
      isInSample = true
      if (sample.restFrom < to && isFrame(frame, head, sample.restFrom, to)) return 'certain'
    } else others++
    from = next + 1
  }
  if (header.understood >= ENOUGH_FACTS) return 'certain'
  return samples > others ? 'possible' : 'no'
}

function isFrame(frame: FrameLine, head: Uint8Array, from: number, to: number): boolean {
  return frame.parse(head, from, to) && frame.hasAddress && head[to - 1] === 0x29
}

/** Text has none of these; tabs and line breaks it has. */
function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== LF && byte !== 0x0d && byte !== 0x1b
}

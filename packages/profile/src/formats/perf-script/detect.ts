// Detects the text of `perf script` by its header, or by a sample with a frame.
import { hasControlCharacters } from '../control-characters.ts'
import type { Confidence } from '../format.ts'
import { NONE } from '../../model/columns/brand.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FrameLine } from './frame-line.ts'
import { ScriptHeader } from './header.ts'
import { SampleLine } from './sample-line.ts'
import { CLOSE, HASH, isBlank, LF, TAB, trimEnd } from './text.ts'

/** Enough lines to be certain. */
const MAX_LINES = 400
/** The number of known header lines that no other format has. */
const ENOUGH_FACTS = 3

export function detectPerfScript(head: Uint8Array): Confidence {
  if (hasControlCharacters(head)) return 'no'
  const header = new ScriptHeader()
  const sample = new SampleLine()
  const frame = new FrameLine()
  let isInSample = false
  let samples = 0
  let frames = 0
  let others = 0
  let from = 0
  for (let lines = 0; from < head.length && lines < MAX_LINES; lines++) {
    const found = head.indexOf(LF, from)
    const next = found < 0 ? head.length : found
    const end = next > from && head[next - 1] === 0x0d ? next - 1 : next
    const to = trimEnd(head, from, end)
    if (to === from) isInSample = false
    else if (head[from] === HASH) header.line(decodeUtf8(head, from, Math.min(to, from + 1000)))
    else if (head[from] === TAB && frame.parse(head, from, to) && frame.hasAddress && frame.symbol.from !== NONE) {
      if (isInSample && head[to - 1] === CLOSE) return 'certain'
      frames++
    } else if (sample.parseTimed(head, from, to)) {
      if (sample.isOtherRecord) return 'certain'
      if (sample.event.from !== NONE || sample.restFrom < to) samples++
      isInSample = true
      if (sample.restFrom < to && isFrame(frame, head, sample.restFrom, to)) return 'certain'
    } else if (isInSample && isBlank(head[from]) && isFrame(frame, head, from, to)) return 'certain'
    else if (sample.parseUntimed(head, from, to)) {
      isInSample = true
      if (sample.restFrom < to && isFrame(frame, head, sample.restFrom, to)) return 'certain'
    } else if (!isInSample || !isBlank(head[from])) others++
    from = next + 1
  }
  if (header.knownLines >= ENOUGH_FACTS) return 'certain'
  return samples > others || frames > others ? 'possible' : 'no'
}

function isFrame(frame: FrameLine, head: Uint8Array, from: number, to: number): boolean {
  return frame.parse(head, from, to) && frame.hasAddress && head[to - 1] === CLOSE
}

// Which format a file is of: by its content first, by its name where the content leaves it open.
import type { Confidence, Format } from './format.ts'
import { formats } from './registry.ts'

/** How much of a file's start is looked at. */
export const HEAD_BYTES = 1 << 16

export interface Detected {
  readonly format: Format
  readonly confidence: Exclude<Confidence, 'no'>
}

/**
 * `head` is the uncompressed start of a file; `fileName` may be empty. Of formats that are equally sure the one wins that has
 * the file's extension, then the one that is first in the registry.
 */
export function detectFormat(
  head: Uint8Array,
  fileName: string,
  candidates: readonly Format[] = formats,
): Detected | undefined {
  let best: Detected | undefined
  let bestScore = 0
  for (const format of candidates) {
    if (format.read === undefined) continue
    const confidence = format.detect(head, fileName)
    if (confidence === 'no') continue
    const score = (confidence === 'certain' ? 3 : 1) + (hasExtension(fileName, format) ? 1 : 0)
    if (score <= bestScore) continue
    best = { format, confidence }
    bestScore = score
  }
  return best
}

/** The names of the formats that detection asks. */
export function triedFormats(candidates: readonly Format[] = formats): string[] {
  return candidates.filter(format => format.read !== undefined).map(({ name }) => name)
}

/** The format that writes files of this name, for callers that have nothing else to go by. */
export function formatOfName(fileName: string, candidates: readonly Format[] = formats): Format | undefined {
  // The longest extension is the most telling: `.pb.json` before `.json`.
  const length = (format: Format): number =>
    Math.max(0, ...format.extensions.filter(extension => matches(fileName, extension)).map(({ length }) => length))
  let best: Format | undefined
  for (const format of candidates) if (length(format) > (best === undefined ? 0 : length(best))) best = format
  return best
}

function hasExtension(fileName: string, format: Format): boolean {
  return format.extensions.some(extension => matches(fileName, extension))
}

/** Whatever it was compressed with: `a.folded.gz` is `.folded`. */
function matches(fileName: string, extension: string): boolean {
  return fileName
    .toLowerCase()
    .replace(/\.(gz|gzip|zst|zstd)$/, '')
    .endsWith(extension.toLowerCase())
}

// Detects the format of a file by its content, and by its name if the content is ambiguous.
import type { Confidence, Format } from './format.ts'
import { formats } from './registry.ts'

/** Number of bytes at the start of a file that detection inspects. */
export const HEAD_BYTES = 1 << 16

export interface Detected {
  readonly format: Format
  readonly confidence: Exclude<Confidence, 'no'>
}

/**
 * Returns the best match for the uncompressed start of a file. `fileName` may be empty. Among formats with equal confidence,
 * a matching file extension wins, then the order of the registry.
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

/** The names of the formats that detection tries. */
export function triedFormats(candidates: readonly Format[] = formats): string[] {
  return candidates.filter(format => format.read !== undefined).map(({ name }) => name)
}

/** Returns the format with the longest extension that matches the file name. */
export function formatOfName(fileName: string, candidates: readonly Format[] = formats): Format | undefined {
  const length = (format: Format): number =>
    Math.max(0, ...format.extensions.filter(extension => matches(fileName, extension)).map(({ length }) => length))
  let best: Format | undefined
  for (const format of candidates) if (length(format) > (best === undefined ? 0 : length(best))) best = format
  return best
}

function hasExtension(fileName: string, format: Format): boolean {
  return format.extensions.some(extension => matches(fileName, extension))
}

/** Ignores the extension of a compression: `a.folded.gz` matches `.folded`. */
function matches(fileName: string, extension: string): boolean {
  return fileName
    .toLowerCase()
    .replace(/\.(gz|gzip|zst|zstd)$/, '')
    .endsWith(extension.toLowerCase())
}

// Finds the legacy format of a text file by its first line.
import { isCountHeader } from './count.ts'
import { isHeapHeader } from './heap.ts'
import { LineReader } from './line-reader.ts'
import { isThreadsHeader } from './threads.ts'

export type TextDialect = 'heap' | 'count' | 'threads' | 'contention' | 'java-heap' | 'java-contention'

/** No header line is longer. */
const MAX_HEADER = 1000
/** The maximum number of header lines before the one that distinguishes Java from C++. */
const MAX_HEADER_LINES = 20

/** Leaves the reader on the line that identifies the dialect. */
export function textDialect(line: LineReader): TextDialect | undefined {
  if (!line.nextContent()) return undefined
  const text = line.text(MAX_HEADER)
  if (isHeapHeader(text)) return 'heap'
  if (isCountHeader(text)) return 'count'
  if (isThreadsHeader(text)) return 'threads'
  if (text.startsWith('--- mutex:') || text.startsWith('--- contention:')) return 'contention'
  if (text === '--- heapz 1 ---') return 'java-heap'
  if (!text.startsWith('--- contentionz ')) return undefined
  return isJava(new LineReader(line.bytes, line.to)) ? 'java-contention' : 'contention'
}

/** Both languages begin with the same line. Only Java's header has a format or a resolution. */
function isJava(line: LineReader): boolean {
  line.next()
  for (let i = 0; i < MAX_HEADER_LINES && line.next(); i++) {
    if (line.indexOf('=') < 0 && !line.isBlank) return false
    if (/^(?:format|resolution) *=/.test(line.text(MAX_HEADER))) return true
  }
  return false
}

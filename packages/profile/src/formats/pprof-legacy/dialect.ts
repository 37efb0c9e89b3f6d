// Which of the legacy formats a file is in: by its first words, or by its first line.
import { isCountHeader } from './count.ts'
import { isHeapHeader } from './heap.ts'
import { LineReader } from './line-reader.ts'
import { isThreadsHeader } from './threads.ts'

export type TextDialect = 'heap' | 'count' | 'threads' | 'contention' | 'java-heap' | 'java-contention'

/** Nothing that begins one is longer. */
const MAX_HEADER = 1000
/** How many lines of a header may come before the one that tells Java from C++. */
const MAX_HEADER_LINES = 20

/** The reader stands on the line that says it. */
export function textDialect(line: LineReader): TextDialect | undefined {
  if (!line.nextContent()) return undefined
  const text = line.text(MAX_HEADER)
  if (isHeapHeader(text)) return 'heap'
  if (isCountHeader(text)) return 'count'
  if (isThreadsHeader(text)) return 'threads'
  if (text.startsWith('--- mutex:') || text.startsWith('--- contention:')) return 'contention'
  if (text === '--- heapz 1 ---') return 'java-heap'
  if (!text.startsWith('--- contentionz ')) return undefined
  return isOfJava(new LineReader(line.bytes, line.to)) ? 'java-contention' : 'contention'
}

/** Both begin alike; only Java's names a format or a resolution. */
function isOfJava(line: LineReader): boolean {
  line.next()
  for (let i = 0; i < MAX_HEADER_LINES && line.next(); i++) {
    if (line.indexOf('=') < 0 && !line.isBlank) return false
    if (/^(?:format|resolution) *=/.test(line.text(MAX_HEADER))) return true
  }
  return false
}

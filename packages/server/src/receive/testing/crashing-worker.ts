// A thread that receives requests, with contents that end it, block it, or are too large for it: for tests of what happens then.
import type { ContentReader } from '../content.ts'
import { otlpReader } from '../otlp-content.ts'
import type { WriteThreadData } from '../threads/write-thread.ts'
import { writeHandlers } from '../threads/write-thread.ts'
import { tooLarge } from '../refusal.ts'
import { requestId } from '../request-id.ts'
import { hostWorker } from '../../workers/worker-host.ts'

/** The content is then read in a thread for large requests. */
const LARGE_MEMORY = 2 ** 24

/** Ends the thread. The options are the memory that the content pretends to take. */
const crash: ContentReader<number> = {
  id: body => requestId('crash', body),
  measure: (_body, memory) => memory,
  // Ends the thread, not the process.
  read: () => process.exit(1),
}

/** Blocks the thread: sets the first number, and waits for the second. Stores nothing. */
const block: ContentReader<Int32Array> = {
  id: body => requestId('block', body),
  measure: () => LARGE_MEMORY,
  read: (_body, gate) => {
    Atomics.store(gate, 0, 1)
    Atomics.wait(gate, 1, 0)
    return undefined
  },
}

/** A file that is too large for the thread of small requests after decompression. Stores nothing. */
const expand: ContentReader<undefined> = {
  id: body => requestId('expand', body),
  measure: () => 0,
  read: (_body, _options, { maxBody }) => {
    if (maxBody <= 2 ** 20) throw tooLarge(maxBody, 'the file is too large')
    return undefined
  },
}

hostWorker((data: WriteThreadData) => {
  const watched: unknown[] = []
  return writeHandlers(
    data,
    { ...otlpReader, crash, block, expand },
    { watch: state => void watched.push(state), observe: (_tenant, { signal }) => [signal, ...watched] },
  )
})

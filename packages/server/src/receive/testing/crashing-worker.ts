// A thread that receives requests and can be ended by a content: for tests of what happens then.
import type { ContentReader } from '../content.ts'
import { otlpReader } from '../otlp-content.ts'
import type { WriteThreadData } from '../threads/write-thread.ts'
import { writeHandlers } from '../threads/write-thread.ts'
import { requestId } from '../request-id.ts'
import { hostWorker } from '../../workers/worker-host.ts'

/** Ends the thread. The options are the memory that the content pretends to take. */
const crash: ContentReader<number> = {
  id: body => requestId('crash', body),
  measure: (_body, memory) => memory,
  // Ends the thread, not the process.
  read: () => process.exit(1),
}

hostWorker((data: WriteThreadData) => {
  const watched: unknown[] = []
  return writeHandlers(
    data,
    { ...otlpReader, crash },
    { watch: state => void watched.push(state), observe: (_tenant, { signal }) => [signal, ...watched] },
  )
})

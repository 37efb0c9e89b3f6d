// The worker: reads files and handles requests about them, one after the other.
import type { WorkerRequest, WorkerRequestName, WorkerRequests, WorkerResponse } from './messages.ts'
import { OpenedFiles } from './opened-files.ts'

const files = new OpenedFiles()

type Handlers = {
  readonly [Name in WorkerRequestName]: (
    request: WorkerRequests[Name]['request'],
  ) => WorkerRequests[Name]['response'] | Promise<WorkerRequests[Name]['response']>
}

const handlers: Handlers = {
  open: request => files.open(request),
  tree: ({ part, order }) => files.tree(part, order),
  top: ({ part, byLine }) => files.top(part, byLine),
  sandwich: ({ part, frame }) => files.sandwich(part, frame),
  timeline: ({ part, thread }) => files.timeline(part, thread),
  events: ({ part, lanes }) => files.events(part, lanes),
  heatMap: ({ part, choice }) => files.heatMap(part, choice),
  diff: ({ before, after, order, absolute }) => files.diff(before, after, order, absolute),
  diffRows: ({ before, after }) => files.diffRows(before, after),
  observations: ({ part }) => files.observations(part),
  attributes: ({ part }) => files.attributes(part),
  details: ({ file }) => files.details(file),
  write: ({ part, format }) => files.write(part, format),
}

addEventListener('message', (event: MessageEvent<WorkerRequest>) => {
  void handle(event.data)
})

async function handle({ id, name, request }: WorkerRequest): Promise<void> {
  try {
    const result = await (handlers[name] as (request: unknown) => unknown)(request)
    send({ id, result }, buffersOf(result))
  } catch (error) {
    const { name: kind, message } = error instanceof Error ? error : new Error(String(error))
    send({ id, error: { name: kind, message } }, [])
  }
}

function send(response: WorkerResponse, transfer: Transferable[]): void {
  postMessage(response, { transfer })
}

/** The memory of all arrays in the response and its trees, each once. Frames are strings and are copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>()
  const look = (each: unknown, depth: number): void => {
    if (ArrayBuffer.isView(each)) {
      // Transferring a view of a part would also take the rest of its memory.
      if (each.buffer instanceof ArrayBuffer && each.byteLength === each.buffer.byteLength) found.add(each.buffer)
    } else if (typeof each === 'object' && each !== null && !Array.isArray(each) && depth > 0) {
      for (const inner of Object.values(each)) look(inner, depth - 1)
    }
  }
  look(value, 4)
  return [...found]
}

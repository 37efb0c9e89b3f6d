// The worker: reads files and answers what is asked about them, one question after the other.
import type { Asked, QuestionName, Questions, Said } from './messages.ts'
import { OpenedFiles } from './opened-files.ts'

const files = new OpenedFiles()

type Answers = {
  readonly [Name in QuestionName]: (
    asks: Questions[Name]['asks'],
  ) => Questions[Name]['answer'] | Promise<Questions[Name]['answer']>
}

const answers: Answers = {
  open: ({ file, name, content }) => files.open(file, name, content),
  tree: ({ part, order }) => files.tree(part, order),
  top: ({ part, byLine }) => files.top(part, byLine),
  sandwich: ({ part, frame }) => files.sandwich(part, frame),
  timeline: ({ part, thread }) => files.timeline(part, thread),
  events: ({ part }) => files.events(part),
  heatMap: ({ part, choice }) => files.heatMap(part, choice),
  diff: ({ before, after, order, absolute }) => files.diff(before, after, order, absolute),
  diffRows: ({ before, after }) => files.diffRows(before, after),
  attributes: ({ part }) => files.attributes(part),
  details: ({ file }) => files.details(file),
  write: ({ part, format }) => files.write(part, format),
}

addEventListener('message', (event: MessageEvent<Asked>) => {
  void answer(event.data)
})

async function answer({ id, name, asks }: Asked): Promise<void> {
  try {
    const made = await (answers[name] as (asks: unknown) => unknown)(asks)
    say({ id, answer: made }, buffersOf(made))
  } catch (error) {
    const { name: kind, message } = error instanceof Error ? error : new Error(String(error))
    say({ id, error: { name: kind, message } }, [])
  }
}

function say(said: Said, transfer: Transferable[]): void {
  postMessage(said, { transfer })
}

/** Every array's memory once, of the answer and of the trees in it. Frames are texts and are copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>()
  const look = (each: unknown, depth: number): void => {
    if (ArrayBuffer.isView(each)) {
      // A view of a part would take the rest away with it.
      if (each.buffer instanceof ArrayBuffer && each.byteLength === each.buffer.byteLength) found.add(each.buffer)
    } else if (typeof each === 'object' && each !== null && !Array.isArray(each) && depth > 0) {
      for (const inner of Object.values(each)) look(inner, depth - 1)
    }
  }
  look(value, 4)
  return [...found]
}

// Runs a command line in this process, with streams that record the output.
import { run } from '../main.ts'
import type { Sink } from '../terminal/terminal.ts'

export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** Standard output as bytes, for binary formats. */
  readonly bytes: Uint8Array
}

export interface Surroundings {
  /** The content of standard input. */
  readonly stdin?: Uint8Array
  /** Makes standard output a terminal of this many columns. */
  readonly columns?: number
  readonly colorDepth?: number
  readonly env?: Readonly<Record<string, string>>
}

export async function runHearth(argv: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const { columns, colorDepth = 1, env = {} } = surroundings
  const out: Buffer[] = []
  const err: Buffer[] = []
  const status = await run(argv, {
    stdin: chunksOf(surroundings.stdin),
    stdout: { ...remembering(out), isTTY: columns !== undefined, columns, getColorDepth: () => colorDepth },
    stderr: remembering(err),
    env,
  })
  const bytes = Buffer.concat(out)
  return { status, bytes, stdout: bytes.toString(), stderr: Buffer.concat(err).toString() }
}

function remembering(chunks: Buffer[]): Sink {
  return {
    write(chunk, done) {
      chunks.push(Buffer.from(chunk as Uint8Array))
      done()
    },
  }
}

/** In chunks, as pipes deliver them. */
async function* chunksOf(bytes: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  for (let p = 0; bytes !== undefined && p < bytes.length; p += 1000) yield bytes.subarray(p, p + 1000)
}

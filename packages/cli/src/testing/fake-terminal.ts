// A fake terminal that records the output, changes its size, and can press Ctrl-C.
import { run } from '../main.ts'
import type { Sink } from '../terminal/terminal.ts'

const PAGE_BEGIN = '\u001b[H'

export class FakeTerminal {
  columns = 80
  rows = 24
  colorDepth = 1
  /** The whole output. */
  written = ''
  errors = ''
  readonly #resized = new Set<() => void>()
  readonly #stops = new Set<() => void>()

  /** Resolves with the exit status. */
  run(argv: readonly string[]): Promise<number> {
    return run(argv, {
      stdin: noInput(),
      stdout: this.#stdout(),
      stderr: {
        write: (chunk, done) => {
          this.errors += String(chunk)
          done()
        },
      },
      env: {},
      onStop: listener => {
        this.#stops.add(listener)
        return () => this.#stops.delete(listener)
      },
    })
  }

  #stdout(): Sink {
    const size = (): Pick<FakeTerminal, 'columns' | 'rows'> => this
    return {
      isTTY: true,
      get columns() {
        return size().columns
      },
      get rows() {
        return size().rows
      },
      getColorDepth: () => this.colorDepth,
      write: (chunk, done) => {
        this.written += String(chunk)
        done()
      },
      on: (event: string, listener: (error: Error) => void) =>
        event === 'resize' && this.#resized.add(listener as () => void),
      off: (_, listener) => this.#resized.delete(listener),
    }
  }

  resize(columns: number, rows: number): void {
    Object.assign(this, { columns, rows })
    for (const listener of this.#resized) listener()
  }

  pressCtrlC(): void {
    for (const listener of this.#stops) listener()
  }

  /** The number of registered listeners. */
  get listeners(): number {
    return this.#resized.size + this.#stops.size
  }

  /** The number of drawn pages. */
  get pages(): number {
    return this.written.split(PAGE_BEGIN).length - 1
  }

  /** The lines of the last page, without colours. */
  get page(): readonly string[] {
    const last = this.written.slice(this.written.lastIndexOf(PAGE_BEGIN) + PAGE_BEGIN.length)
    // oxlint-disable-next-line no-control-regex
    return last.replaceAll(/\u001b\[[?\d;]*[A-Za-z]/g, '').split('\r\n')
  }
}

async function* noInput(): AsyncGenerator<Uint8Array> {}

// Watches the state files of a data directory while the server runs, for its readiness.
import type { StateFileProblem } from './state-problems.ts'
import { stateFileProblems } from './state-problems.ts'

const NAMES_MS = 5000
/** Reading the content of all files is still cheap, but not needed as often: once a minute. */
const CONTENT_EVERY = 12

export class StateFileWatch {
  readonly #directory: string
  #found: readonly StateFileProblem[] = []
  #since = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #checks = 0
  #checking: Promise<void> = Promise.resolve()

  constructor(dataDirectory: string) {
    this.#directory = dataDirectory
  }

  /** Resolves after the first check. */
  async start(): Promise<void> {
    await this.check(true)
    this.#timer = setInterval(() => {
      this.#checks++
      void this.check(this.#checks % CONTENT_EVERY === 0)
    }, NAMES_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#checking
  }

  /** Without `content`, problems of content that were found before stay. */
  check(content: boolean): Promise<void> {
    this.#checking = this.#checking.then(() => this.#check(content)).catch(() => undefined)
    return this.#checking
  }

  problems(): readonly (StateFileProblem & { readonly since: number })[] {
    return this.#found.map(problem => ({ ...problem, since: this.#since.get(problem.file) ?? Date.now() }))
  }

  async #check(content: boolean): Promise<void> {
    const now = await stateFileProblems(this.#directory, { content })
    const kept = content ? [] : this.#found.filter(({ inContent }) => inContent)
    this.#found = [...now, ...kept.filter(({ file }) => !now.some(problem => problem.file === file))]
    this.#since = new Map(this.#found.map(({ file }) => [file, this.#since.get(file) ?? Date.now()]))
  }
}

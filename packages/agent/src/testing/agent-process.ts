// Runs a program with the built agent in a separate process, because a native profiler must not run in the test process.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Built, because TypeScript loaders do not reach worker threads that load the agent first. */
const AGENT = new URL('../../dist/', import.meta.url)

export interface Ended {
  /** The exit code, or the signal that ended the process. */
  readonly by: number | string
  readonly stdout: string
  readonly stderr: string
}

export interface AgentRun {
  readonly env?: Readonly<Record<string, string>>
  /** Loads the agent by NODE_OPTIONS instead of the command line. */
  readonly byNodeOptions?: boolean
  /** Arguments instead of the program. */
  readonly command?: readonly string[]
  /** Called with the output so far, and a function that sends signals. */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void
}

export class AgentFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'hearth-agent-'))
  readonly #running = new Set<ChildProcess>()

  write(name: string, program: string): string {
    const file = join(this.path, name)
    writeFileSync(file, program.replaceAll('@hearth/agent', new URL('index.js', AGENT).href))
    return file
  }

  /** `program` is a module that can import '@hearth/agent'. */
  async run(program: string, { env = {}, byNodeOptions = false, command, onOutput }: AgentRun = {}): Promise<Ended> {
    const load = ['--import', new URL('register.js', AGENT).href]
    const file = this.write('app.mjs', program)
    const child = spawn(process.execPath, [...(byNodeOptions ? [] : load), ...(command ?? [file])], {
      cwd: this.path,
      // A busy machine may need longer than an application would wait for its last profiles.
      env: {
        PATH: process.env['PATH'],
        HEARTH_EXIT_TIMEOUT: '60s',
        ...(byNodeOptions && { NODE_OPTIONS: load.join(' ') }),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (text: Buffer) => {
      stdout += text.toString()
      onOutput?.(stdout, signal => child.kill(signal))
    })
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    this.#running.delete(child)
    return { by: code ?? signal ?? '', stdout, stderr }
  }

  /** Kills programs that are still running, such as those of a failed test. */
  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL')
    rmSync(this.path, { recursive: true })
  }
}

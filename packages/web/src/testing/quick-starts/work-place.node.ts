// The folder in which a quick start runs: a server of its own, and the commands of the documentation.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ServerProcess } from '../../../../server/src/testing/server-process.ts'
import type { Receivers } from '../../widgets/send-data/receivers.ts'
import { SNIPPETS } from '../../widgets/send-data/snippets.ts'

const PROGRAMS = fileURLToPath(new URL('./testdata', import.meta.url))
const MODULES = fileURLToPath(new URL('../../../../../node_modules', import.meta.url))
/** How long the programs of the quick starts run: longer than the recordings of 30 s. */
const SHOP_SECONDS = 35

export class WorkPlace {
  readonly folder: string
  readonly at: Receivers
  readonly #server: ServerProcess
  readonly #name: string

  private constructor(name: string, folder: string, server: ServerProcess) {
    const { http, otlpGrpc, otlpHttp } = server.ports
    this.folder = folder
    this.#name = name
    this.#server = server
    this.at = {
      main: `http://127.0.0.1:${http}`,
      otlpHttp: `http://127.0.0.1:${otlpHttp}`,
      otlpGrpc: `127.0.0.1:${otlpGrpc}`,
      grpcTls: false,
      needsToken: false,
    }
  }

  /** `name` is that of the snippet. */
  static async open(name: string): Promise<WorkPlace> {
    const folder = mkdtempSync(join(tmpdir(), `hearth-quick-start-${name}-`))
    // `npx hearth` runs the build of this checkout.
    symlinkSync(MODULES, join(folder, 'node_modules'))
    const flags = { data: join(folder, 'data'), 'self-profile': 'no', 'cors-origins': '*' } as const
    return new WorkPlace(name, folder, await ServerProcess.start(flags))
  }

  async close(): Promise<void> {
    await this.#server.end()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** The parts of the snippet, which begin with a comment such as "or with gperftools". */
  parts(): readonly string[] {
    const snippet = SNIPPETS.find(({ value }) => value === this.#name)
    if (snippet === undefined) throw new Error(`no snippet ${this.#name}`)
    return snippet.text(this.at).split(/\n(?=(?:#|\/\/) or )/)
  }

  /** Copies a program, with a part of the snippet in the place of SNIPPET. */
  program(name: string, snippet = '', as = name): void {
    const target = join(this.folder, as)
    cpSync(join(PROGRAMS, name), target)
    writeFileSync(
      target,
      readFileSync(target, 'utf8').replace('SNIPPET', () => snippet),
    )
  }

  /** Runs a script of the shell, which stops at the first command that fails. */
  async run(script: string): Promise<void> {
    const options = { cwd: this.folder, env: { ...process.env, SHOP_SECONDS: String(SHOP_SECONDS) } }
    await promisify(execFile)('sh', ['-ec', script], { ...options, maxBuffer: 2 ** 26 })
  }

  /** Runs the program, and the script meanwhile, in which PID stands for the id of the program. */
  async runBeside(program: readonly [string, ...string[]], script: string): Promise<void> {
    const [command, ...parameters] = program
    const env = { ...process.env, SHOP_SECONDS: String(SHOP_SECONDS) }
    const child = spawn(command, parameters, { cwd: this.folder, env, stdio: 'ignore' })
    const ended = once(child, 'exit')
    try {
      await this.run(script.replaceAll(/\bPID\b/g, String(child.pid)))
    } finally {
      child.kill()
      await ended
    }
  }

  async settled(): Promise<void> {
    await this.#server.settled()
  }
}

// Programs of other projects that Hearth is tested against. A program is used if it is on the PATH or named by an environment
// variable. Otherwise its tests are skipped with a printed reason.
import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'

export interface Peer {
  readonly binary: string
  /** The environment variable that names the program. */
  readonly variable: string
}

export const COLLECTOR: Peer = { binary: 'otelcol', variable: 'HEARTH_TEST_COLLECTOR' }
export const PROFCHECK: Peer = { binary: 'profcheck', variable: 'HEARTH_TEST_PROFCHECK' }
export const PROFILECLI: Peer = { binary: 'profilecli', variable: 'HEARTH_TEST_PROFILECLI' }
export const PYROSCOPE: Peer = { binary: 'pyroscope', variable: 'HEARTH_TEST_PYROSCOPE' }
export const S3_GATEWAY: Peer = { binary: 'versitygw', variable: 'HEARTH_TEST_S3_GATEWAY' }
export const PARCA: Peer = { binary: 'parca', variable: 'HEARTH_TEST_PARCA' }

/** The program's file. Undefined, with a printed line, if there is none. */
export function findPeer({ binary, variable }: Peer): string | undefined {
  const named = process.env[variable]
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = (named === undefined ? folders.map(folder => join(folder, binary)) : [named]).find(isProgram)
  if (found === undefined) {
    const why =
      named === undefined ? `${binary} is neither on the PATH nor named by ${variable}` : `no program ${named}`
    console.log(`skipped: ${why}`)
  }
  return found
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

export interface Outcome {
  readonly status: number
  /** Standard output and standard error. */
  readonly text: string
}

export async function runPeer(file: string, args: readonly string[]): Promise<Outcome> {
  return await new Promise(resolve => {
    execFile(file, args, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ status, text: stdout + stderr })
    })
  })
}

/** A program that runs until it is stopped. */
export class RunningPeer {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #output = ''

  constructor(file: string, args: readonly string[]) {
    this.#child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } })
    this.#ended = once(this.#child, 'close')
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    }
  }

  get output(): string {
    return this.#output
  }

  /** Waits until the check succeeds. Throws with the program's output if the program ends before. */
  async until(check: () => Promise<boolean>): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`ended with ${this.#child.exitCode}:\n${this.#output}`)
      if (await check().catch(() => false)) return
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGTERM')
    await this.#ended
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

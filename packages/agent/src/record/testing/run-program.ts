// Runs a program of this folder in a separate process, where the profiler has the thread for itself, and reads its output.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Profiles } from '@hearth/profile'
import { readOtlp } from '@hearth/profile'

export interface ProgramResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** Returns undefined if the program wrote no profiles of that name. */
  profiles(name: string): Profiles | undefined
  json(name: string): unknown
}

export interface ProgramOptions {
  readonly node?: readonly string[]
  readonly argv?: readonly string[]
}

/** Plain `--import tsx` does not reach workers on Node 20. */
const TSX = `data:text/javascript,import{register}from'${import.meta.resolve('tsx/esm/api')}';register()`

/** `HEARTH_TEST_NODE` names another Node to run the program with. */
export async function runProgram(name: string, options: ProgramOptions = {}): Promise<ProgramResult> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-record-'))
  try {
    const program = join(import.meta.dirname, name)
    const argv = ['--conditions=hearth-source', '--import', TSX, ...(options.node ?? []), program, folder]
    const node = process.env['HEARTH_TEST_NODE'] ?? process.execPath
    const child = spawn(node, [...argv, ...(options.argv ?? [])], { cwd: import.meta.dirname, stdio: 'pipe' })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const [status] = (await once(child, 'close')) as [number]
    const files = new Map<string, Buffer>()
    for (const file of readdirSync(folder)) {
      if (/\.(?:otlp|json)$/.test(file)) files.set(file, readFileSync(join(folder, file)))
    }
    return {
      status,
      stdout,
      stderr,
      profiles: part => {
        const bytes = files.get(`${part}.otlp`)
        return bytes === undefined ? undefined : readOtlp(bytes).profiles
      },
      json: part => JSON.parse(files.get(`${part}.json`)?.toString() ?? 'null') as unknown,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

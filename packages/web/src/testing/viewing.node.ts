// `hearth view` in a process of its own, on files that are made for it.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUILT_HEARTH } from '../../../cli/src/testing/built-command.ts'

export class Viewing {
  /** As it was printed. */
  readonly url: string
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url
    this.#child = child
    this.#folder = folder
  }

  static async start(files: Readonly<Record<string, string>>): Promise<Viewing> {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-view-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const paths = Object.keys(files).map(name => join(folder, name))
    const node = [BUILT_HEARTH, 'view', '--no-open', ...paths]
    const child = spawn(process.execPath, node, {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    for (;;) {
      const url = /^ {2}(http\S+)\n/m.exec(said)?.[1]
      if (url !== undefined) return new Viewing(url, child, folder)
      await Promise.race([once(child.stdout, 'data'), ended])
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`)
    }
  }

  /** Whether a library of that name is in its memory; false if the system does not report it. */
  hasLoaded(library: string): boolean {
    const maps = `/proc/${this.#child.pid}/maps`
    return existsSync(maps) && readFileSync(maps, 'utf8').includes(library)
  }

  /** As Ctrl-C does; the exit status. */
  async interrupt(): Promise<number | null> {
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGINT')
    await ended
    rmSync(this.#folder, { recursive: true, force: true })
    return this.#child.exitCode
  }
}

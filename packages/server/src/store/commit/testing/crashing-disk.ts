// A disk for tests that counts its steps, fails at one of them, or stops there like kill -9. A write that is stopped leaves half
// a file.
import type { JournalDisk } from '../journal-disk.ts'
import { realDisk } from '../journal-disk.ts'

const never = new Promise<never>(() => {})

export class CrashingDisk implements JournalDisk {
  /** Number of steps that change something. */
  steps = 0
  /** The step to stop at. `stopped` is true afterwards. */
  stopAt = Infinity
  stopped = false
  onStop: () => void = () => {}
  /** Throw to make a step fail. */
  before: (step: string, path: string) => void = () => {}
  free = 1e12
  readonly done: string[] = []

  makeDirectory(path: string): Promise<void> {
    return this.#step('makeDirectory', path, () => realDisk.makeDirectory(path))
  }

  write(path: string, pieces: readonly Uint8Array[], sync: boolean): Promise<void> {
    return this.#step(
      sync ? 'writeSync' : 'write',
      path,
      () => realDisk.write(path, pieces, false),
      () => {
        const bytes = Buffer.concat(pieces)
        return realDisk.write(path, [bytes.subarray(0, bytes.length >> 1)], false)
      },
    )
  }

  syncDirectory(path: string): Promise<void> {
    return this.#step('syncDirectory', path, async () => {})
  }

  rename(from: string, to: string): Promise<void> {
    return this.#step('rename', to, () => realDisk.rename(from, to))
  }

  remove(path: string): Promise<void> {
    return this.#step('remove', path, () => realDisk.remove(path))
  }

  async space(): Promise<{ free: number; total: number }> {
    return { free: this.free, total: 1e12 }
  }

  /** Nothing happens after this call. */
  stop(): void {
    if (this.stopped) return
    this.stopped = true
    this.onStop()
  }

  /** Never resolves after a stop. */
  async alive(): Promise<void> {
    if (this.stopped) await never
  }

  /** A step outside of the disk, at which the process may stop, too. */
  async moment(half?: () => Promise<void>): Promise<void> {
    await this.alive()
    this.steps++
    if (this.steps < this.stopAt) return
    this.stopped = true
    await half?.()
    this.onStop()
    await never
  }

  async #step(name: string, path: string, work: () => Promise<void>, half?: () => Promise<void>): Promise<void> {
    await this.moment(half)
    this.before(name, path)
    await work()
    this.done.push(`${name} ${path.replace(/^.*?\/(?=journal|[^/]*$)/, '')}`)
    await this.alive()
  }
}

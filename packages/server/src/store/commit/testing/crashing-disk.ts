// A disk for tests: counts its steps, fails at one of them, or stops the world there as kill -9 would, with half of a file
// written where the step was a write.
import type { JournalDisk } from '../journal-disk.ts'
import { realDisk } from '../journal-disk.ts'

const never = new Promise<never>(() => {})

export class CrashingDisk implements JournalDisk {
  /** Steps that change something, since the start. */
  steps = 0
  /** The world stops in this step; `stopped` says that it has. */
  stopAt = Infinity
  stopped = false
  onStop: () => void = () => {}
  /** Throws to make a step fail. */
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

  /** From now on nothing happens any more. */
  stop(): void {
    if (this.stopped) return
    this.stopped = true
    this.onStop()
  }

  /** Waits for ever once the world has stopped. */
  async alive(): Promise<void> {
    if (this.stopped) await never
  }

  /** A step of something else than the disk, at which the world may stop too. */
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

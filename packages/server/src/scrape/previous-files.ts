// The last file of each cumulative endpoint, as it came. The total size is bounded: the file that was used least recently is dropped
// first, and its endpoint starts over with the next one.

export class PreviousFiles {
  readonly #files = new Map<string, Uint8Array>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(id: string): Uint8Array | undefined {
    return this.#files.get(id)
  }

  set(id: string, file: Uint8Array): void {
    this.forget(id)
    this.#files.set(id, file)
    this.#bytes += file.length
    for (const [oldest] of this.#files) {
      if (this.#bytes <= this.#maxBytes) break
      this.forget(oldest)
    }
  }

  forget(id: string): void {
    this.#bytes -= this.#files.get(id)?.length ?? 0
    this.#files.delete(id)
  }
}

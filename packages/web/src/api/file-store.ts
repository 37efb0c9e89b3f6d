// Opened files in the browser's database, so they survive a reload and the back button. They never leave the machine.
// The oldest are deleted when there are too many.

export interface StoredFile {
  readonly id: string
  readonly name: string
  /** Browsers keep blobs on disk, so a large file is not in memory twice. */
  readonly content: Blob
  /** When the file was stored, in milliseconds since 1970. */
  readonly kept: number
}

const DATABASE = 'hearth-files'
const STORE = 'files'
const MAX_FILES = 20
const MAX_BYTES = 512 * 2 ** 20

export class FileStore {
  /** Files that are too large for the database. They are lost when the tab is closed. */
  readonly #inMemory = new Map<string, StoredFile>()
  #database: Promise<IDBDatabase> | undefined

  async put(file: StoredFile): Promise<void> {
    this.#inMemory.set(file.id, file)
    if (file.content.size > MAX_BYTES) return
    try {
      await this.#run('readwrite', store => store.put(file))
      await this.#makeRoom()
    } catch {
      // A private window can have no database, and a disk can be full. The file then lasts as long as the tab.
    }
  }

  /** Returns undefined if the file is not stored. */
  async get(id: string): Promise<StoredFile | undefined> {
    const known = this.#inMemory.get(id)
    if (known !== undefined) return known
    try {
      return (await this.#run('readonly', store => store.get(id))) as StoredFile | undefined
    } catch {
      return undefined
    }
  }

  async #makeRoom(): Promise<void> {
    const files = (await this.#run('readonly', store => store.getAll())) as StoredFile[]
    files.sort((a, b) => b.kept - a.kept)
    let bytes = 0
    for (const [i, file] of files.entries()) {
      bytes += file.content.size
      if (i >= MAX_FILES || (i > 0 && bytes > MAX_BYTES)) await this.#run('readwrite', store => store.delete(file.id))
    }
  }

  async #run(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
    const database = await (this.#database ??= openDatabase())
    return await settled(ask(database.transaction(STORE, mode).objectStore(STORE)))
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'id' }))
  return settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener("the browser's database rejected the request", () =>
      reject(request.error ?? new Error('the database refused')),
    )
  })
}

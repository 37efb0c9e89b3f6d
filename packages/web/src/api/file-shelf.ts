// Files that were opened, kept in the browser's own database, so that a reload and the back button find them again.
// Nothing of them leaves the machine. The oldest go when there are too many.

export interface ShelvedFile {
  readonly id: string
  readonly name: string
  /** Browsers keep these on disk: a large file does not take memory twice. */
  readonly content: Blob
  /** When it was put there, in milliseconds since 1970. */
  readonly kept: number
}

const DATABASE = 'hearth-files'
const STORE = 'files'
const MOST_FILES = 20
const MOST_BYTES = 512 * 2 ** 20

export class FileShelf {
  /** What is too large for the database is kept here, for as long as the page lives. */
  readonly #inMemory = new Map<string, ShelvedFile>()
  #database: Promise<IDBDatabase> | undefined

  async put(file: ShelvedFile): Promise<void> {
    this.#inMemory.set(file.id, file)
    if (file.content.size > MOST_BYTES) return
    try {
      await this.#run('readwrite', store => store.put(file))
      await this.#makeRoom()
    } catch {
      // A private window may have no database, and a disk may be full: then the file lasts as long as the page.
    }
  }

  /** Undefined where it is not there, or no longer. */
  async get(id: string): Promise<ShelvedFile | undefined> {
    const known = this.#inMemory.get(id)
    if (known !== undefined) return known
    try {
      return (await this.#run('readonly', store => store.get(id))) as ShelvedFile | undefined
    } catch {
      return undefined
    }
  }

  async #makeRoom(): Promise<void> {
    const files = (await this.#run('readonly', store => store.getAll())) as ShelvedFile[]
    files.sort((a, b) => b.kept - a.kept)
    let bytes = 0
    for (const [i, file] of files.entries()) {
      bytes += file.content.size
      if (i >= MOST_FILES || (i > 0 && bytes > MOST_BYTES)) await this.#run('readwrite', store => store.delete(file.id))
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
    request.addEventListener('error', () => reject(request.error ?? new Error('the database refused')))
  })
}

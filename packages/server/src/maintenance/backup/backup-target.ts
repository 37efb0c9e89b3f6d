// A place for backups: named objects of bytes.
export interface BackupTarget {
  /** For messages. Contains no secrets. */
  readonly name: string
  /** Returns undefined if there is no such object. */
  read(name: string): Promise<Uint8Array | undefined>
  /** Replaces an object atomically. */
  write(name: string, bytes: Uint8Array): Promise<void>
  remove(name: string): Promise<void>
  /** The names of all objects. */
  list(): Promise<readonly string[]>
}

export class BackupError extends Error {
  override readonly name = 'BackupError'
}

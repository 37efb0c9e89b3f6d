// One process a directory. The lock is a Unix socket that listens: the kernel ends it with its process, so a lock left by
// kill -9 is told from a live one by connecting to it, also between containers that share a volume, where a process id
// would mean nothing. Where a socket cannot be made (some shared folders of virtual machines) the server runs unlocked and
// says so.
import { randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open, rename, rm } from 'node:fs/promises'
import type { Server } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { CommitLog } from './commit-state.ts'
import { errorCode, messageOf } from './journal-disk.ts'

export interface DirectoryLock {
  release(): Promise<void>
}

export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError'
}

/** macOS takes 103 bytes, Linux 107; longer names are cut off without an error by some versions of libuv. */
const LONGEST_SOCKET_PATH = 100

const NO_SOCKETS_HERE = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS', 'EAFNOSUPPORT', 'ENAMETOOLONG'])

export async function lockDirectory(directory: string, log: CommitLog): Promise<DirectoryLock> {
  // Through the handle the name is short, however deep the directory lies; it stays open for as long as the lock, since the
  // socket's file is removed by the same name.
  let handle: FileHandle | undefined
  let base = directory
  if (Buffer.byteLength(directory) > LONGEST_SOCKET_PATH - 30 && process.platform === 'linux') {
    handle = await open(directory, 'r')
    base = `/proc/self/fd/${handle.fd}`
  }
  try {
    const server = await listenAsOnlyOne(directory, join(base, 'lock'))
    server.unref()
    return {
      release: async () => {
        await new Promise<void>(resolve => server.close(() => resolve()))
        await handle?.close()
      },
    }
  } catch (error) {
    await handle?.close()
    if (!NO_SOCKETS_HERE.has(errorCode(error))) throw error
    log.warn(
      { directory, error: messageOf(error) },
      'the journal cannot be locked here: make sure that one server uses it',
    )
    return { release: async () => {} }
  }
}

async function listenAsOnlyOne(directory: string, path: string): Promise<Server> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await listen(path)
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error
    }
    if (await isAlive(path)) break
    // Moved and asked again under a name nobody else has, since another starter may have replaced it in the meantime.
    const moved = `${path}.${randomBytes(4).toString('hex')}`
    try {
      await rename(path, moved)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue
      throw error
    }
    if (await isAlive(moved)) {
      await rename(moved, path)
      break
    }
    await rm(moved, { force: true })
  }
  throw new DirectoryInUseError(`another server is using ${directory}`)
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.once('error', reject)
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', error => {
      const code = errorCode(error)
      if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTSOCK') resolve(false)
      else reject(error)
    })
  })
}

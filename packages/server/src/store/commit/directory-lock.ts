// One process a directory. The lock is a Unix socket that listens: the kernel ends it with its process, so a lock left by
// kill -9 is told from a live one by connecting to it, also between containers that share a volume, where a process id
// would mean nothing. Where a socket cannot be made (some shared folders of virtual machines) the server runs unlocked and
// says so.
import type { FileHandle } from 'node:fs/promises'
import { open, rm, stat } from 'node:fs/promises'
import type { Server } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** How long removing a dead lock takes at the most; a file that says so for longer is left over itself. */
const REMOVING_MS = 5000
const PAUSE_MS = 20

async function listenAsOnlyOne(directory: string, path: string): Promise<Server> {
  const removing = `${path}.removing`
  for (const deadline = Date.now() + 2 * REMOVING_MS; Date.now() < deadline;) {
    try {
      return await listen(path)
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error
    }
    if (await isAlive(path)) break
    // One at a time, or a slow one would remove the lock that a quick one has just made.
    if (await claim(removing)) {
      if (!(await isAlive(path))) await rm(path, { force: true })
      await rm(removing, { force: true })
    } else await sleep(PAUSE_MS)
  }
  throw new DirectoryInUseError(`another server is using ${directory}`)
}

async function claim(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx')).close()
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    const { mtimeMs = Date.now() } = (await stat(file).catch(() => undefined)) ?? {}
    if (Date.now() - mtimeMs > REMOVING_MS) await rm(file, { force: true })
    return false
  }
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

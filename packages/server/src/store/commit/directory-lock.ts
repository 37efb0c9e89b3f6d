// Allows one process per directory. The lock is a listening Unix socket, which the kernel closes with its process. Connecting
// to it distinguishes a live lock from one left by kill -9, even between containers that share a volume, where process ids
// mean nothing. If sockets are not supported (some shared folders of virtual machines), the server logs a warning and runs
// unlocked.
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

/** macOS allows 103 bytes, Linux 107. Some versions of libuv truncate longer names silently. */
const MAX_SOCKET_PATH = 100

const SOCKETS_UNSUPPORTED = new Set([
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EINVAL',
  'ENOSYS',
  'EAFNOSUPPORT',
  'ENAMETOOLONG',
])

export async function lockDirectory(directory: string, log: CommitLog): Promise<DirectoryLock> {
  // A path through the handle is short, however deep the directory is. The handle stays open as long as the lock, because
  // the socket's file is removed by the same path.
  let handle: FileHandle | undefined
  let base = directory
  if (Buffer.byteLength(directory) > MAX_SOCKET_PATH - 30 && process.platform === 'linux') {
    handle = await open(directory, 'r')
    base = `/proc/self/fd/${handle.fd}`
  }
  try {
    const server = await listenExclusively(directory, join(base, 'lock'))
    server.unref()
    return {
      release: async () => {
        await new Promise<void>(resolve => server.close(() => resolve()))
        await handle?.close()
      },
    }
  } catch (error) {
    await handle?.close()
    if (!SOCKETS_UNSUPPORTED.has(errorCode(error))) throw error
    log.warn({ directory, error: messageOf(error) }, 'cannot lock the journal; make sure that only one server uses it')
    return { release: async () => {} }
  }
}

/** Maximum duration of removing a dead lock. An older marker file is left over itself. */
const REMOVING_MS = 5000
const PAUSE_MS = 20

async function listenExclusively(directory: string, path: string): Promise<Server> {
  const removing = `${path}.removing`
  for (const deadline = Date.now() + 2 * REMOVING_MS; Date.now() < deadline;) {
    try {
      return await listen(path)
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error
    }
    if (await isAlive(path)) break
    // One process at a time, or a slow one would remove the new lock of a fast one.
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

// The id of the container that the process runs in. On Linux it is in the path of the control group (version 1) or in the
// mounts (version 2). Other systems have none.
import { readFileSync } from 'node:fs'

const ID = /([0-9a-f]{64})/
/** Docker, containerd and podman mount files from the container's directory, whose name is the id. */
const MOUNT = /\/(?:containers|overlay-containers|sandboxes)\/([0-9a-f]{64})\//

export function containerIdIn(cgroup: string, mounts: string): string | undefined {
  for (const line of cgroup.split('\n')) {
    const last = line.slice(line.lastIndexOf('/') + 1)
    const id = ID.exec(last)
    if (id !== null) return id[1]
  }
  for (const line of mounts.split('\n')) {
    if (!line.includes('/etc/hostname')) continue
    const id = MOUNT.exec(line)
    if (id !== null) return id[1]
  }
  return undefined
}

export function containerId(): string | undefined {
  return process.platform === 'linux'
    ? containerIdIn(readOrEmpty('/proc/self/cgroup'), readOrEmpty('/proc/self/mountinfo'))
    : undefined
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

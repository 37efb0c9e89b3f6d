// The id of the container that the process runs in, as Linux shows it: in the path of the control group (version 1), or among
// the mounts, where version 2 hides the path. Elsewhere there is none.
import { readFileSync } from 'node:fs'

const ID = /([0-9a-f]{64})/
/** Docker, containerd and podman mount files of the container's own directory, whose name is the id. */
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
    ? containerIdIn(textOf('/proc/self/cgroup'), textOf('/proc/self/mountinfo'))
    : undefined
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

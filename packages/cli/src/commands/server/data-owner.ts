// Root manages the data of a service, which runs as another user. Files that root writes there must stay readable for the service.
import type { Stats } from 'node:fs'
import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Gives what this process writes into the data directory to the owner of that directory, when the process ends. */
export function keepDataOwner(data: string): void {
  if (process.getuid?.() !== 0) return
  const owner = statSync(data, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) process.once('exit', () => giveTo(owner, data))
}

function giveTo(owner: Stats, data: string): void {
  const paths = readdirSync(data, { recursive: true, encoding: 'utf8' }).map(name => join(data, name))
  for (const path of paths)
    // A running server removes files meanwhile.
    if (lstatSync(path, { throwIfNoEntry: false })?.uid === 0) lchownSync(path, owner.uid, owner.gid)
}

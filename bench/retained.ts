// How many objects a decoded payload keeps on the heap: nodes of a heap snapshot with it, less those of one without. Run in
// a process of its own for each decoder:  node retained.js <decoder> [file]  prints one number.
import { formatNamed } from '@hearth/profile'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { getHeapSnapshot } from 'node:v8'
import { largeInput } from './inputs.ts'

/**
 * The engine has objects of its own that come and go, hundreds between two snapshots, where a payload of columns has some
 * dozens. So many copies are kept that those hardly count; the more, the smaller a payload is.
 */
const MOST_COPIES = 200
const COPIED_BYTES = 100_000_000
/** Objects enough to be told from the engine's without copies. */
const MANY = 100_000

/** `decoder` is a format, as `otlp`, or a peer, as `protobuf-es`; `file` holds what is decoded, the large input unless given. */
export function retainedObjects(decoder: string, file?: string): number {
  const script = fileURLToPath(import.meta.url)
  const given = file === undefined ? [] : [file]
  return Number(
    execFileSync(process.execPath, [
      '--max-old-space-size=8192',
      '--no-flush-bytecode',
      script,
      decoder,
      ...given,
    ]).toString(),
  )
}

/** The count stands in the snapshot's first lines; the rest is read past without being kept. */
async function heapNodes(): Promise<number> {
  let head = ''
  for await (const chunk of getHeapSnapshot()) if (head.length < 8192) head += String(chunk)
  return Number(/"node_count":(\d+)/.exec(head)?.[1])
}

async function decoderNamed(name: string): Promise<(bytes: Uint8Array) => unknown> {
  const format = formatNamed(name)
  if (format?.read !== undefined) return bytes => format.read?.(bytes, {})
  // Only here: what peers load would be in the snapshots too.
  const { loadPeer } = await import('./peers.ts')
  const peer = await loadPeer(name)
  if (peer === undefined) throw new Error(`nobody decodes ${name}`)
  return bytes => peer.decode(bytes)
}

async function main(decoder: string, file: string | undefined): Promise<void> {
  const bytes = file === undefined ? largeInput().bytes : new Uint8Array(readFileSync(file))
  const decode = await decoderNamed(decoder)
  // Before, so that compiled code and scratch memory are not counted as results; the first snapshot makes objects too.
  for (let i = 0; i < 3; i++) decode(bytes)
  await heapNodes()
  const one = await kept(() => decode(bytes), 1)
  const copies = Math.max(1, Math.min(MOST_COPIES, Math.floor(COPIED_BYTES / bytes.length)))
  console.log(one > MANY ? one : Math.round((await kept(() => decode(bytes), copies)) / copies))
}

/** How many objects more there are with so many results. */
async function kept(decode: () => unknown, copies: number): Promise<number> {
  const before = await heapNodes()
  const results = Array.from({ length: copies }, decode)
  const after = await heapNodes()
  if (results.includes(undefined)) throw new Error('nothing was decoded')
  return after - before
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2], process.argv[3])

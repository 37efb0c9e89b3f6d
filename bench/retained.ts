// How many objects a decoded payload keeps on the heap: nodes of a heap snapshot with it, less those of one without. Run in
// a process of its own for each decoder:  node retained.js <decoder> [file]  prints one number.
import { formatNamed } from '@hearth/profile'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { getHeapSnapshot } from 'node:v8'
import { largeInput } from './inputs.ts'

/** The engine has objects of its own that come and go; the fewest of some tries are those of the payload. */
const TRIES = 3
/** So many make no difference to more than this, and snapshots of them take long. */
const FEW = 1000

/** `decoder` is a format, as `otlp`, or a peer, as `protobuf-es`; `file` holds what is decoded, the large input unless given. */
export function retainedObjects(decoder: string, file?: string): number {
  const script = fileURLToPath(import.meta.url)
  const given = file === undefined ? [] : [file]
  return Number(execFileSync(process.execPath, ['--max-old-space-size=8192', script, decoder, ...given]).toString())
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
  // Once before, so that compiled code and scratch memory are not counted as results.
  decode(bytes)
  let fewest = Infinity
  for (let i = 0; i < TRIES && (i === 0 || fewest < FEW); i++) {
    const before = await heapNodes()
    const result = decode(bytes)
    const after = await heapNodes()
    if (result === undefined) throw new Error('nothing was decoded')
    fewest = Math.min(fewest, after - before)
  }
  console.log(fewest)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2], process.argv[3])

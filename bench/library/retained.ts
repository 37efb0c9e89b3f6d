// Counts the objects that a decoded payload keeps on the heap: nodes of a heap snapshot with it, minus those of one without.
// Each decoder runs in its own process:  node retained.js <decoder> [file]  prints one number.
import { formatNamed } from '@hearth/profile'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { getHeapSnapshot } from 'node:v8'
import { largeInput } from './inputs.ts'

/**
 * The engine itself creates and drops hundreds of objects between two snapshots, while a payload in columns has a few
 * dozen. Keeping many copies makes the noise negligible; smaller payloads need more copies.
 */
const MAX_COPIES = 100
const COPIED_BYTES = 30_000_000
/** In bytes. The messages of a peer from a larger payload stand out from the engine's own objects without copies. */
const LARGE = 100_000

/** `decoder` is a format such as `otlp`, or a peer such as `protobuf-es`. `file` is the input; default: the large input. */
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

/** The count is in the snapshot's first lines. Writing the rest would take a hundred times as long. */
async function heapNodes(): Promise<number> {
  let head = ''
  for await (const chunk of getHeapSnapshot()) {
    head += String(chunk)
    const count = /"node_count":(\d+),/.exec(head)?.[1]
    if (count !== undefined) return Number(count)
  }
  throw new Error('the heap snapshot has no node_count')
}

async function decoderNamed(name: string): Promise<(bytes: Uint8Array) => unknown> {
  const format = formatNamed(name)
  if (format?.read !== undefined) return bytes => format.read?.(bytes, {})
  // Loaded only here: the modules of peers would be in the snapshots too.
  const { loadPeer } = await import('./peers.ts')
  const peer = await loadPeer(name)
  if (peer === undefined) throw new Error(`no decoder named ${name}`)
  return bytes => peer.decode(bytes)
}

async function main(decoder: string, file: string | undefined): Promise<void> {
  const bytes = file === undefined ? largeInput().bytes : new Uint8Array(readFileSync(file))
  const decode = await decoderNamed(decoder)
  // Runs once before, so that compiled code and scratch memory do not count. The first snapshot creates objects too.
  for (let i = 0; i < 3; i++) decode(bytes)
  await heapNodes()
  const isPeer = formatNamed(decoder) === undefined
  const affordable = Math.max(1, Math.min(MAX_COPIES, Math.floor(COPIED_BYTES / bytes.length)))
  const copies = isPeer && bytes.length > LARGE ? 1 : affordable
  console.log(Math.round((await kept(() => decode(bytes), copies)) / copies))
}

/** The number of additional objects with the given number of results. */
async function kept(decode: () => unknown, copies: number): Promise<number> {
  const before = await heapNodes()
  const results = Array.from({ length: copies }, decode)
  const after = await heapNodes()
  if (results.includes(undefined)) throw new Error('the decoder returned nothing')
  return after - before
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2], process.argv[3])

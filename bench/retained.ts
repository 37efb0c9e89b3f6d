// How many objects a decoded payload keeps on the heap: nodes of a heap snapshot with it, less those of one without. Run in
// a process of its own for each decoder:  node retained.js <decoder>  prints one number.
import { readOtlp } from '@hearth/profile'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { getHeapSnapshot } from 'node:v8'
import { largeInput } from './inputs.ts'
import { loadPeers } from './peers.ts'

export function retainedObjects(decoder: string): number {
  const output = execFileSync(process.execPath, ['--max-old-space-size=8192', fileURLToPath(import.meta.url), decoder])
  return Number(output.toString())
}

/** The count stands in the snapshot's first lines; the rest is read past without being kept. */
async function heapNodes(): Promise<number> {
  let head = ''
  for await (const chunk of getHeapSnapshot()) if (head.length < 8192) head += String(chunk)
  return Number(/"node_count":(\d+)/.exec(head)?.[1])
}

async function main(decoder: string): Promise<void> {
  const { bytes } = largeInput()
  const peers = await loadPeers()
  const peer = peers.find(({ name }) => name === decoder)
  const decode = (input: Uint8Array): unknown => (peer === undefined ? readOtlp(input) : peer.decode(input))
  // Once before, so that compiled code and scratch memory are not counted as results.
  decode(bytes)
  const before = await heapNodes()
  const result = decode(bytes)
  const after = await heapNodes()
  if (result === undefined) throw new Error('nothing was decoded')
  console.log(after - before)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2])

// A tree as bytes, as Pyroscope's older clients send it and `tree` of stack-counts.ts reads it: nodes depth first, each before
// its children, with the length of its name, the name, its own value and the number of its children. The root has no name.
import type { CutTree } from './name-tree.ts'

export function treeBytes({ nodes }: CutTree): Uint8Array {
  const parts: Buffer[] = []
  for (const [i, { name, self, children }] of nodes.entries()) {
    const text = Buffer.from(i === 0 ? '' : name)
    parts.push(varint(BigInt(text.length)), text, varint(BigInt.asUintN(64, self[0])), varint(BigInt(children)))
  }
  return new Uint8Array(Buffer.concat(parts))
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

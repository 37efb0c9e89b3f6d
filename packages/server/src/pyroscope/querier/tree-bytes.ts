// A tree as bytes, in the format that Pyroscope's older clients send and `tree` of stack-counts.ts reads. Nodes are
// depth first, each before its children: length of its name, name, self value, number of children. The root has no
// name.
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

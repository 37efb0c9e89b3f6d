// Writes the binary formats of Pyroscope's oldest clients from stacks such as `main;run` with their values.

interface Node {
  readonly text: string
  value: bigint
  readonly children: Node[]
}

export type Stacks = Readonly<Record<string, bigint>>

/** One node per function. */
export function treeOf(stacks: Stacks): Uint8Array {
  return written(rootOf(stacks, line => line.split(';')))
}

/** One node per character, which is allowed and hardest to read. */
export function trieOf(stacks: Stacks): Uint8Array {
  return written(rootOf(stacks, line => Array.from(line)))
}

function rootOf(stacks: Stacks, piecesOf: (line: string) => readonly string[]): Node {
  const root: Node = { text: '', value: 0n, children: [] }
  for (const [line, value] of Object.entries(stacks)) {
    let node = root
    for (const text of piecesOf(line)) {
      let child = node.children.find(one => one.text === text)
      if (child === undefined) node.children.push((child = { text, value: 0n, children: [] }))
      node = child
    }
    node.value += value
  }
  return root
}

function written(root: Node): Uint8Array {
  const out: number[] = []
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const text = Buffer.from(node.text)
    out.push(...varint(BigInt(text.length)), ...text, ...varint(node.value), ...varint(BigInt(node.children.length)))
    open.push(...node.children.toReversed())
  }
  return Uint8Array.from(out)
}

function varint(value: bigint): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return [...bytes, Number(rest)]
}

// The files of an uploaded source archive, as one file from which single texts are read:
//
//   8 bytes  length of the list        list  [["src/price.cc", offset, bytes], …] as JSON        texts
//
// Offsets count from the end of the list.
import { open } from 'node:fs/promises'
import type { SourceText } from './source-folders.ts'
import { pathEnds } from './source-folders.ts'

type Entry = readonly [path: string, offset: number, bytes: number]

const HEAD_BYTES = 8
/** A list of a million paths has about 100 MB. */
const MAX_LIST_BYTES = 256 * 2 ** 20

export function encodeSources(files: ReadonlyMap<string, Uint8Array | string>): Uint8Array {
  const texts = [...files].map(([path, text]) => ({
    path,
    bytes: typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.length),
  }))
  let offset = 0
  const list: Entry[] = []
  for (const { path, bytes } of texts) {
    list.push([path, offset, bytes.length])
    offset += bytes.length
  }
  const encoded = Buffer.from(JSON.stringify(list))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeBigUInt64LE(BigInt(encoded.length))
  return Buffer.concat([head, encoded, ...texts.map(({ bytes }) => bytes)])
}

/** The text of a file by the longest end of its path. Undefined if the archive does not have it, or if it is no text. */
export async function findInSources(path: string, wanted: string): Promise<SourceText | undefined> {
  const file = await open(path, 'r')
  try {
    const read = async (at: number, length: number): Promise<Buffer> => {
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await file.read(bytes, 0, length, at)
      return bytes.subarray(0, bytesRead)
    }
    const listBytes = Number((await read(0, HEAD_BYTES)).readBigUInt64LE())
    if (listBytes > MAX_LIST_BYTES) return undefined
    const list = JSON.parse((await read(HEAD_BYTES, listBytes)).toString('utf8')) as readonly Entry[]
    const byPath = new Map(list.map(entry => [entry[0], entry]))
    for (const below of pathEnds(wanted)) {
      const entry = byPath.get(below)
      if (entry === undefined) continue
      const text = (await read(HEAD_BYTES + listBytes + entry[1], entry[2])).toString('utf8')
      if (!text.includes('\0')) return { path: below, text }
    }
    return undefined
  } finally {
    await file.close()
  }
}

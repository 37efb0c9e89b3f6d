// zstd for the size table: Node's own from 22.15 on, before that the module that the hearth command uses.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import * as zlib from 'node:zlib'

type Compress = (bytes: Uint8Array) => Uint8Array

/** zstd's default level. */
const LEVEL = 3

export async function zstdCompressor(): Promise<Compress> {
  if ('zstdCompressSync' in zlib) return zlib.zstdCompressSync as Compress
  const command = createRequire(new URL('../../../packages/cli/package.json', import.meta.url))
  const module = pathToFileURL(command.resolve('@cloudpss/zstd')).href
  const { compress } = (await import(module)) as { compress: (bytes: Uint8Array, level: number) => Uint8Array }
  return bytes => compress(bytes, LEVEL)
}

// Compiles a folder of .proto files with buf, as other clients do.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileRegistry } from '@bufbuild/protobuf'
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'

export function compiledProtos(folder: string): FileRegistry {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-proto-'))
  try {
    const require = createRequire(import.meta.url)
    const buf = join(require.resolve('@bufbuild/buf/package.json'), '..', 'bin', 'buf')
    const file = join(directory, 'set.binpb')
    execFileSync(process.execPath, [buf, 'build', folder, '--as-file-descriptor-set', '-o', file])
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, new Uint8Array(readFileSync(file))))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

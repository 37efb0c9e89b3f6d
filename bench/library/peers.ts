// The protobuf libraries that Hearth is measured against, on the same schema (profiles.proto): protobufjs with the static
// code that its own generator writes, and protobuf-es (@bufbuild/protobuf) with the same descriptor.
import { createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import protobuf from 'protobufjs'
import 'protobufjs/ext/descriptor.js'

export interface Peer {
  readonly name: string
  decode(bytes: Uint8Array): unknown
  encode(message: unknown): Uint8Array
}

interface StaticType {
  decode(bytes: Uint8Array): unknown
  encode(message: unknown): { finish(): Uint8Array }
}

const REQUEST = 'ExportProfilesServiceRequest'
const protoFile = fileURLToPath(new URL('../../profiles.proto', import.meta.url))

export async function loadPeers(): Promise<readonly [protobufjs: Peer, protobufEs: Peer]> {
  return [await protobufjsStatic(), protobufEs()]
}

/** Loads only one of them, because loading both takes time. */
export async function loadPeer(name: string): Promise<Peer | undefined> {
  const peer = name === 'protobufjs' ? await protobufjsStatic() : protobufEs()
  return peer.name === name ? peer : undefined
}

async function protobufjsStatic(): Promise<Peer> {
  // Inside the package, because the generated module imports protobufjs.
  const folder = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), 'generated-'))
  const module = join(folder, 'profiles.js')
  const generator = fileURLToPath(import.meta.resolve('protobufjs-cli/bin/pbjs'))
  try {
    execFileSync(process.execPath, [
      generator,
      '-t',
      'static-module',
      '-w',
      'es6',
      '--no-comments',
      '-o',
      module,
      protoFile,
    ])
    const { bench } = (await import(pathToFileURL(module).href)) as { bench: Record<string, StaticType> }
    const type = bench[REQUEST]
    return { name: 'protobufjs', decode: bytes => type.decode(bytes), encode: message => type.encode(message).finish() }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function protobufEs(): Peer {
  const schema = requestSchema()
  return {
    name: 'protobuf-es',
    decode: bytes => fromBinary(schema, bytes),
    encode: message => toBinary(schema, message as MessageShape<DescMessage>),
  }
}

/** protobuf-es works on descriptors at run time, so it can use one that protobufjs has parsed. */
function requestSchema(): DescMessage {
  const root = protobuf.loadSync(protoFile).resolveAll() as protobuf.Root & {
    toDescriptor(syntax: string): protobuf.Message
  }
  const encodeSet = (descriptor: protobuf.Message): Uint8Array => descriptor.$type.encode(descriptor).finish()
  const set = fromBinary(FileDescriptorSetSchema, encodeSet(root.toDescriptor('proto3')))
  // protobufjs names types relative to their package, which descriptors may not.
  for (const file of set.file) {
    for (const field of file.messageType.flatMap(message => message.field)) {
      if (field.typeName !== '') field.typeName = `.bench.${field.typeName}`
    }
  }
  const registry = createFileRegistry(set)
  const message = registry.getMessage(`bench.${REQUEST}`)
  if (message === undefined) throw new Error(`${REQUEST} is not in the descriptor`)
  return message
}

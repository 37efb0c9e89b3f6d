// The .proto files agree with the code. `vitest -u` regenerates them.
import { fileURLToPath } from 'node:url'
import type { DescField, FileRegistry } from '@bufbuild/protobuf'
import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { PROTO_FILES } from '@hearth/signals'
import { expect, test } from 'vitest'
import { BROKER_PROTO_FILES } from './proto-files.ts'
import { brokerProtoTexts } from './testing/broker-protos.ts'
import { compiledProtos } from './testing/compiled-protos.ts'

test.each([...brokerProtoTexts()])('%s equals the generated text', async (file, text) => {
  await expect(text).toMatchFileSnapshot(`../../proto/${file}`)
})

/** All properties that affect the wire format and JSON. */
function shown(field: DescField): string {
  const kind = field.fieldKind
  const type = field.message?.typeName ?? field.enum?.typeName ?? field.scalar
  return `${field.name}/${field.jsonName} = ${field.number}: ${kind} ${type} ${field.oneof?.name ?? ''} ${field.proto.label}`
}

test('reflection agrees with the .proto files', () => {
  const files = [...PROTO_FILES, ...BROKER_PROTO_FILES]
  const file = files.map(each => fromBinary(FileDescriptorProtoSchema, each.protobufDescriptor()))
  const told: FileRegistry = createFileRegistry(create(FileDescriptorSetSchema, { file }))
  const compiled = compiledProtos(fileURLToPath(new URL('../../proto', import.meta.url)))
  const names = BROKER_PROTO_FILES.flatMap(each => each.symbols)
  expect(names).toEqual(expect.arrayContaining(['kubefox.proto.v1.Event', 'google.protobuf.Value']))
  for (const name of names) {
    const ours = told.get(name)
    const theirs = compiled.get(name)
    expect([name, ours?.kind]).toEqual([name, theirs?.kind])
    if (ours?.kind === 'message' && theirs?.kind === 'message')
      expect(ours.fields.map(shown)).toEqual(theirs.fields.map(shown))
    if (ours?.kind === 'enum' && theirs?.kind === 'enum')
      expect(ours.values.map(each => [each.name, each.number])).toEqual(
        theirs.values.map(each => [each.name, each.number]),
      )
    if (ours?.kind === 'service' && theirs?.kind === 'service')
      expect(ours.methods.map(each => [each.name, each.methodKind])).toEqual(
        theirs.methods.map(each => [each.name, each.methodKind]),
      )
  }
})

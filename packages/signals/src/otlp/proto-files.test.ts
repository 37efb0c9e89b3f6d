import { BackwardWriter } from '@hearth/profile'
import { describe, expect, test } from 'vitest'
import { codecOf } from '../protobuf/codec.ts'
import type { FileDescriptor } from '../protobuf/descriptor.ts'
import { FILE_DESCRIPTOR } from '../protobuf/descriptor.ts'
import { fileOfSymbol } from '../protobuf/proto-file.ts'
import { PROTO_FILES } from './proto-files.ts'

const codec = codecOf(FILE_DESCRIPTOR, 'descriptor')
const described: ReadonlyMap<string, FileDescriptor> = new Map(
  PROTO_FILES.map(file => [file.name, codec.decode(file.protobufDescriptor())]),
)

test('files import exactly the files whose types they use', () => {
  const dependencies = PROTO_FILES.map(file => [
    file.name.replace('opentelemetry/proto/', ''),
    file.dependencies.length,
  ])
  expect(dependencies).toEqual([
    ['common/v1/common.proto', 0],
    ['resource/v1/resource.proto', 1],
    ['trace/v1/trace.proto', 2],
    ['logs/v1/logs.proto', 2],
    ['metrics/v1/metrics.proto', 2],
    ['profiles/v1development/profiles.proto', 2],
    ['collector/trace/v1/trace_service.proto', 1],
    ['collector/logs/v1/logs_service.proto', 1],
    ['collector/metrics/v1/metrics_service.proto', 1],
    ['collector/profiles/v1development/profiles_service.proto', 1],
    ['google/protobuf/any.proto', 0],
    ['google/protobuf/duration.proto', 0],
    ['google/rpc/status.proto', 1],
    ['google/rpc/error_details.proto', 1],
  ])
  for (const file of PROTO_FILES) for (const name of file.dependencies) expect(described.has(name)).toBe(true)
})

describe('types', () => {
  test('refer only to types of their file or of its imports', () => {
    for (const file of PROTO_FILES) {
      const types = JSON.stringify(described.get(file.name), (_key, value: unknown) =>
        typeof value === 'bigint' ? `${value}` : value,
      )
      for (const [, name] of types.matchAll(/"(?:typeName|inputType|outputType)":"\.([^"]+)"/g)) {
        expect([file.name, ...file.dependencies]).toContain(fileOfSymbol(PROTO_FILES, name)?.name)
      }
    }
  })

  test('contain their nested messages and enums', () => {
    const trace = described.get('opentelemetry/proto/trace/v1/trace.proto')!
    expect(trace.package).toBe('opentelemetry.proto.trace.v1')
    const span = trace.messageType.find(({ name }) => name === 'Span')!
    expect(span.nestedType.map(({ name }) => name)).toEqual(['Event', 'Link'])
    expect(span.enumType.map(({ name }) => name)).toEqual(['SpanKind'])
    expect(trace.enumType.map(({ name }) => name)).toEqual(['SpanFlags'])
    expect(span.field.find(({ name }) => name === 'start_time_unix_nano')).toEqual({
      name: 'start_time_unix_nano',
      number: 7,
      label: 1,
      type: 6,
      typeName: '',
      oneofIndex: undefined,
      jsonName: 'startTimeUnixNano',
      proto3Optional: false,
    })
  })

  test('have a synthetic oneof for each optional field, after the real ones', () => {
    const metrics = described.get('opentelemetry/proto/metrics/v1/metrics.proto')!
    const point = metrics.messageType.find(({ name }) => name === 'HistogramDataPoint')!
    expect(point.oneofDecl).toEqual([{ name: '_sum' }, { name: '_min' }, { name: '_max' }])
    expect(point.field.filter(field => field.proto3Optional).map(field => field.oneofIndex)).toEqual([0, 1, 2])
    const metric = metrics.messageType.find(({ name }) => name === 'Metric')!
    expect(metric.oneofDecl).toEqual([{ name: 'data' }])
    expect(metric.field.filter(field => field.oneofIndex === 0).map(field => field.number)).toEqual([5, 7, 9, 10, 11])
  })
})

test('fileOfSymbol finds services, methods and messages by name', () => {
  const service = 'opentelemetry.proto.collector.logs.v1.LogsService'
  const file = fileOfSymbol(PROTO_FILES, service)!
  expect(file.name).toBe('opentelemetry/proto/collector/logs/v1/logs_service.proto')
  expect(fileOfSymbol(PROTO_FILES, `${service}.Export`)).toBe(file)
  expect(fileOfSymbol(PROTO_FILES, 'opentelemetry.proto.trace.v1.Span.Event')?.name).toBe(
    'opentelemetry/proto/trace/v1/trace.proto',
  )
  expect(fileOfSymbol(PROTO_FILES, 'opentelemetry.proto.trace.v1')).toBeUndefined()
  expect(described.get(file.name)?.service[0].method[0]).toEqual({
    name: 'Export',
    inputType: '.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest',
    outputType: '.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse',
    clientStreaming: false,
    serverStreaming: false,
  })
  expect(PROTO_FILES.flatMap(({ services }) => services).length).toBe(4)
})

test('descriptors contain the zero of an enum', () => {
  const logs = described.get('opentelemetry/proto/logs/v1/logs.proto')!
  const severities = logs.enumType.find(({ name }) => name === 'SeverityNumber')!.value
  expect(severities.length).toBe(25)
  expect(severities[0]).toEqual({ name: 'SEVERITY_NUMBER_UNSPECIFIED', number: 0 })
  expect(severities[17]).toEqual({ name: 'SEVERITY_NUMBER_ERROR', number: 17 })
  const writer = new BackwardWriter(16)
  FILE_DESCRIPTOR.write(writer, logs)
  expect(writer.finish()).toEqual(PROTO_FILES[3].protobufDescriptor())
})

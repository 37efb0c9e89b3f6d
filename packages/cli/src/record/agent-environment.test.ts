import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { agentEnvironment, endpointIn, serviceIn } from './agent-environment.ts'
import { programName } from './program-name.ts'

const register = 'file:///a%20b/register.js'

test('agentEnvironment keeps variables that it does not set', () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=100', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://traces:1', HOME: '/h' }
  expect(agentEnvironment(env, { register, service: 'web' })).toEqual({
    ...env,
    NODE_OPTIONS: `--max-old-space-size=100 --import ${register}`,
    OTEL_SERVICE_NAME: 'web',
  })
})

test('agentEnvironment does not change the endpoint of traces', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'a=1', HEARTH_OUTPUT: 'old' }
  const to = { register, service: 'web', to: 'https://hearth:4318', token: 'a=b c', tenant: 'ä' }
  expect(agentEnvironment(env, to)).toEqual({
    NODE_OPTIONS: `--import ${register}`,
    OTEL_SERVICE_NAME: 'web',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
    OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: 'https://hearth:4318/v1development/profiles',
    OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_PROFILES_HEADERS: 'a=1,authorization=Bearer%20a%3Db%20c,x-scope-orgid=%C3%A4',
    HEARTH_OUTPUT: undefined,
  })
  expect(agentEnvironment({}, { register, service: 'web', to: 'http://a/own/path' })).toMatchObject({
    OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: 'http://a/own/path',
  })
})

test('agentEnvironment sets the kinds and the rate', () => {
  const settings = {
    register,
    service: 'web',
    output: '/x/',
    types: ['cpu', 'heap'],
    rate: 19,
    intervalMs: 500,
  } as const
  expect(agentEnvironment({}, settings)).toMatchObject({
    HEARTH_OUTPUT: '/x/',
    HEARTH_PROFILE_TYPES: 'cpu,heap',
    HEARTH_SAMPLE_RATE_HZ: '19',
    HEARTH_EXPORT_INTERVAL: '500ms',
  })
})

test('endpointIn and serviceIn read the environment', () => {
  expect(serviceIn({})).toBeUndefined()
  expect(serviceIn({ OTEL_RESOURCE_ATTRIBUTES: 'a=b, service.name=listed,c=d' })).toBe('listed')
  expect(serviceIn({ OTEL_SERVICE_NAME: 'named', OTEL_RESOURCE_ATTRIBUTES: 'service.name=listed' })).toBe('named')
  expect(serviceIn({ OTEL_SERVICE_NAME: ' ', OTEL_RESOURCE_ATTRIBUTES: 'my.service.name=x' })).toBeUndefined()
  expect(endpointIn({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT: '' })).toBe(
    'http://a',
  )
  expect(endpointIn({})).toBeUndefined()
})

const folder = mkdtempSync(join(tmpdir(), 'hearth-name-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('programName returns the name of the package, the script or the command', () => {
  mkdirSync(join(folder, 'app/src'), { recursive: true })
  for (const file of ['plain.mjs', 'app/src/server.js', 'app/src/odd.json']) writeFileSync(join(folder, file), '')
  writeFileSync(join(folder, 'app/package.json'), '{"name": "@shop/checkout"}')
  writeFileSync(join(folder, 'app/src/package.json'), '{"type": "module"}')
  expect(programName(['node', '--enable-source-maps', 'app/src/server.js', 'plain.mjs'], folder)).toBe('@shop/checkout')
  expect(programName(['node', 'plain.mjs'], folder)).toBe('plain')
  expect(programName(['/usr/bin/npm', 'start'], folder)).toBe('npm')
  expect(programName(['node', 'gone.js'], folder)).toBe('node')
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { BrokerEnvironments } from './broker-environments.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-environments-'))
const file = join(directory, 'environments.yaml')
afterAll(() => rmSync(directory, { recursive: true }))

function read(text: string): BrokerEnvironments {
  writeFileSync(file, text)
  return BrokerEnvironments.read(file)
}

test('BrokerEnvironments finds variables by tenant and environment, with * as fallback', () => {
  const environments = read(`
'*':
  production: { REGION: eu, MAX_HZ: 200, REDACT: true, ZONES: [a, b] }
  staging: { REGION: eu }
shop:
  production: { REGION: us }
`)
  expect(environments.of('bank', 'production')).toEqual({ REGION: 'eu', MAX_HZ: 200, REDACT: true, ZONES: ['a', 'b'] })
  expect(environments.of('shop', 'production')).toEqual({ REGION: 'us' })
  expect(environments.of('shop', 'staging')).toEqual({ REGION: 'eu' })
  expect(environments.of('shop', 'constructor')).toEqual({})
  expect(environments.of('toString', '')).toEqual({})
  expect(read('').of('shop', 'production')).toEqual({})
})

test('BrokerEnvironments reports errors with their position', () => {
  expect(() => read('shop: { production: { REGION: { a: 1 } } }')).toThrow(
    /environments\.yaml: shop\.production\.REGION/,
  )
  expect(() => read("shop: { production: { 'a b': 1 } }")).toThrow(/shop\.production\.a b: /)
  expect(() => read('shop: [')).toThrow(/environments\.yaml: .*line 1/)
  expect(() => BrokerEnvironments.read(join(directory, 'none'))).toThrow(/no such file/)
})

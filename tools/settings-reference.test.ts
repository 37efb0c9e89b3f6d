import { expect, test } from 'vitest'
import { readPage, settingsTable, withTable } from './settings-reference.ts'

test('docs/server.md has the current settings', () => {
  const page = readPage()
  expect(withTable(page), '`npm run settings-reference` writes the table').toBe(page)
})

test('settingsTable has the name, the variable, the default and the help of each setting', () => {
  expect(settingsTable()).toContain(
    '| `otlp-grpc-port` | `HEARTH_OTLP_GRPC_PORT` | `4317` | port of OTLP over gRPC and of the Broker |\n',
  )
  expect(settingsTable()).toMatch(/^\| `store` \| `HEARTH_STORE` \| {2}\| URL of a ClickHouse/m)
})

test('withTable rejects a page without the markers', () => {
  expect(() => withTable('# The server\n')).toThrow(/has no <!-- settings -->/)
})

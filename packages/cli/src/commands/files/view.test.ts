// `hearth view` up to the point where it listens. The UI itself is tested in a browser, in packages/web.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commandFor } from '../../terminal/open-browser.ts'
import { FakeTerminal } from '../../testing/fake-terminal.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-view-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  [['a', 'b', 'c'], 2, 'at most 2 files'],
  [['-', '-'], 2, 'standard input can be read only once'],
  [[join(folder, 'missing.pprof')], 1, 'missing.pprof'],
  [[folder], 1, 'hearth-view-'],
  [['-'], 1, 'standard input'],
])('hearth view %j fails', async (files, status, message) => {
  const outcome = await runHearth(['view', '--no-open', ...files])
  expect([outcome.status, outcome.stdout]).toEqual([status, ''])
  expect(outcome.stderr).toContain(message)
})

test('hearth view --port listens on that port', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const file = join(folder, 'a.folded')
  writeFileSync(file, 'main;run 1\n')
  const taken = await runHearth(['view', '--no-open', '--port', String(port), file])
  expect([taken.status, taken.stderr]).toEqual([1, expect.stringContaining(`port ${port} is in use`)])
  other.close()
  await once(other, 'close')
  const terminal = new FakeTerminal()
  const ended = terminal.run(['view', '--no-open', '--port', String(port), file])
  await expect.poll(() => terminal.errors || terminal.written).toContain(`http://127.0.0.1:${port}/`)
  terminal.pressCtrlC()
  expect(await ended).toBe(0)
  expect((await runHearth(['view', '--port', '70000', file])).status).toBe(2)
})

test('browserCommand knows the command of each system', () => {
  const url = 'http://127.0.0.1:1/file?open=a&open=b'
  expect(commandFor(url, 'linux')).toEqual(['xdg-open', url])
  expect(commandFor(url, 'darwin')).toEqual(['open', url])
  expect(commandFor(url, 'win32').at(-1)).toBe('http://127.0.0.1:1/file?open=a^&open=b')
})

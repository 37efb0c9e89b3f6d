// `hearth view` up to the point where it listens. The UI itself is tested in a browser, in packages/web.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commandFor } from '../../terminal/open-browser.ts'
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

test('browserCommand knows the command of each system', () => {
  const url = 'http://127.0.0.1:1/file?open=a&open=b'
  expect(commandFor(url, 'linux')).toEqual(['xdg-open', url])
  expect(commandFor(url, 'darwin')).toEqual(['open', url])
  expect(commandFor(url, 'win32').at(-1)).toBe('http://127.0.0.1:1/file?open=a^&open=b')
})

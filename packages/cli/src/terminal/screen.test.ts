import { expect, test } from 'vitest'
import { Screen } from './screen.ts'

test('Screen writes nothing before the first draw and restores the terminal at the end', async () => {
  const written: string[] = []
  const sink = {
    columns: 0,
    rows: 3,
    write: (chunk: string | Uint8Array, done: () => void): void => {
      written.push(String(chunk))
      done()
    },
  }
  const screen = new Screen(sink)
  await screen.close()
  expect(written).toEqual([])
  expect(screen.columns).toBe(80)
  await screen.draw(['a', 'b'])
  await screen.draw(['c'])
  await screen.close()
  await screen.close()
  const page = (...lines: readonly string[]): string =>
    `\u001b[?2026h\u001b[H${lines.map(line => `\u001b[2K${line}`).join('\r\n')}\u001b[?2026l`
  expect(written).toEqual([
    `\u001b[?1049h\u001b[?25l${page('a', 'b', '')}`,
    page('c', '', ''),
    '\u001b[?25h\u001b[?1049l',
  ])
})

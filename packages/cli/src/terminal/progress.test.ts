import { expect, test } from 'vitest'
import { Progress } from './progress.ts'

function watched(isTTY: boolean): { at: (ms: number) => void; progress: Progress; written: string[] } {
  let now = 0
  const written: string[] = []
  const progress = new Progress({ isTTY, columns: 20, write: chunk => written.push(String(chunk)) }, () => now)
  return { at: ms => void (now = ms), progress, written }
}

test('Progress prints nothing in the first second', () => {
  const { at, progress, written } = watched(true)
  progress.say('reading a')
  at(999)
  progress.say('reading b')
  progress.done()
  expect(written).toEqual([])
})

test('Progress then updates one line at a limited rate, and clears it at the end', () => {
  const { at, progress, written } = watched(true)
  at(1000)
  progress.say('reading a')
  at(1050)
  progress.say('reading b')
  at(1100)
  progress.say('reading something with a long name')
  progress.done()
  progress.done()
  expect(written).toEqual(['\r\u001b[Kreading a', '\r\u001b[Kreading something …', '\r\u001b[K'])
})

test('Progress prints nothing if standard error is not a terminal', () => {
  const { at, progress, written } = watched(false)
  at(5000)
  progress.say('reading a')
  progress.done()
  expect(written).toEqual([])
})

test('Progress counts the seconds while a server works', async () => {
  const { at, progress, written } = watched(true)
  let answered = (_: string): void => undefined
  const work = progress.during('querying', new Promise<string>(resolve => (answered = resolve)))
  at(3000)
  await expect.poll(() => written.at(-1)).toBe('\r\u001b[Kquerying, 3 s')
  answered('42')
  expect(await work).toBe('42')
  const failing = progress.during('querying', Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
})

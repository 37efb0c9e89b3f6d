import { expect, test } from 'vitest'
import { completeAsShown } from './missing-data.ts'

async function* pieces(then: () => void): AsyncGenerator<string> {
  yield await Promise.resolve('a')
  then()
  yield 'b'
}

async function read(shown: string | undefined, after: string | undefined): Promise<string> {
  let missing = shown
  let text = ''
  try {
    for await (const piece of completeAsShown(
      pieces(() => (missing = after)),
      shown,
      () => missing,
    ))
      text += piece
    return text
  } catch (error) {
    return `${text} and ${(error as Error).message}`
  }
}

test('a streamed response fails at its end if damage was found after its header was sent', async () => {
  expect(await read(undefined, 'part 1')).toBe('ab and found while the response was sent: part 1')
  expect(await read('part 1', 'parts 1 and 2')).toBe('ab and found while the response was sent: parts 1 and 2')
})

test('a streamed response is complete if its header reported the damage, or if that was repaired', async () => {
  expect(await read(undefined, undefined)).toBe('ab')
  expect(await read('part 1', 'part 1')).toBe('ab')
  expect(await read('part 1', undefined)).toBe('ab')
})

// The .proto files beside say what the code does; `vitest -u` writes them anew.
import { expect, test } from 'vitest'
import { protoTexts } from './testing/proto-text.ts'

test.each([...protoTexts()])('%s', async (file, text) => {
  await expect(text).toMatchFileSnapshot(`proto/${file}`)
})

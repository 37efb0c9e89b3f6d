// Checks that the .proto files match the code. `vitest -u` writes them.
import { expect, test } from 'vitest'
import { protoTexts } from './testing/proto-text.ts'

test.each([...protoTexts()])('%s', async (file, text) => {
  await expect(text).toMatchFileSnapshot(`proto/${file}`)
})

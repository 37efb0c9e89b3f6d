import { describe, expect, it } from 'vitest'
import { bundleSizes, listedSizes } from './bundle-sizes.ts'

/** Small changes of the code need no change of the table. */
const TOLERANCE = 0.1
const ROUNDED = 1000

describe('the table of bundle sizes in docs/library.md', () => {
  it('lists every import of the library with its size; `npm run bundle-sizes -- --write` writes it', async () => {
    const listed = listedSizes()
    const sizes = await bundleSizes()
    expect(sizes.map(({ entry }) => entry)).toEqual([...listed.keys()])
    const wrong = sizes.filter(({ entry, minified, gzip }) => {
      const [known, knownGzip] = listed.get(entry)!
      return [
        [minified, known],
        [gzip, knownGzip],
      ].some(([found, stated]) => Math.abs(found - stated) > TOLERANCE * stated + ROUNDED)
    })
    expect(wrong).toEqual([])
  })
})

// The workflows publish every public package, and each one after those that it depends on.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PUBLIC_PACKAGES } from '../packaging/pack-all.ts'

const root = join(import.meta.dirname, '..', '..')
const published = /for name in ([a-z ]+);/
  .exec(readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8'))?.[1]
  .split(' ')

describe('the release workflow', () => {
  it('publishes every public package once', () => {
    expect(published?.toSorted()).toEqual(PUBLIC_PACKAGES.toSorted())
  })

  it('publishes packages after those that they depend on', () => {
    for (const [i, name] of published!.entries()) {
      const manifest = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')
      const { dependencies = {} } = JSON.parse(manifest) as { readonly dependencies?: Readonly<Record<string, string>> }
      const needed = Object.keys(dependencies).flatMap(each => (each.startsWith('@hearth/') ? [each.slice(8)] : []))
      expect([name, needed.filter(each => !published!.slice(0, i).includes(each))]).toEqual([name, []])
    }
  })
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LockFile } from './bill-of-materials.ts'
import { billOfMaterials, licenceList, partsOf } from './bill-of-materials.ts'

const lock: LockFile = {
  name: 'x',
  packages: {
    '': { version: '1.0.0' },
    'packages/a': { name: '@x/a', version: '1.0.0', license: 'Apache-2.0', dependencies: { b: '1', '@x/c': '1' } },
    'packages/c': { name: '@x/c', version: '1.0.0', license: 'Apache-2.0', dependencies: { b: '2' } },
    'node_modules/@x/c': { link: true },
    'node_modules/b': { version: '1.0.0', license: 'MIT', integrity: 'sha512-AAAA' },
    'packages/c/node_modules/b': { version: '2.0.0', license: '(MIT OR GPL-3.0)', optionalDependencies: { gone: '1' } },
    'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0', dev: true },
  },
}

describe('partsOf', () => {
  it('lists what users install, resolved as Node does, and no development tools', () => {
    const parts = partsOf(lock, () => undefined)
    expect(parts.map(({ purl, dependsOn }) => [purl, dependsOn])).toEqual([
      ['pkg:npm/%40x/a@1.0.0', ['pkg:npm/%40x/c@1.0.0', 'pkg:npm/b@1.0.0']],
      ['pkg:npm/%40x/c@1.0.0', ['pkg:npm/b@2.0.0']],
      ['pkg:npm/b@1.0.0', []],
      ['pkg:npm/b@2.0.0', []],
    ])
    expect(licenceList(parts)).toContain('| b | 2.0.0 | (MIT OR GPL-3.0) |')
    expect(billOfMaterials('x', '1.0.0', parts)).toMatchObject({
      components: [
        {},
        {},
        { hashes: [{ alg: 'SHA-512', content: '000000' }], licenses: [{ license: { id: 'MIT' } }] },
        {},
      ],
    })
  })

  it('rejects licences that do not fit, and missing ones', () => {
    const { packages } = lock
    for (const license of ['GPL-3.0', '', 'MIT AND GPL-3.0']) {
      const bad = { ...lock, packages: { ...packages, 'node_modules/b': { version: '1.0.0', license } } }
      expect(() => partsOf(bad, () => undefined)).toThrow(`b (${license || 'none'})`)
    }
  })
})

describe('npm run sbom', () => {
  it('writes a CycloneDX document with a licence for every package that the packages depend on', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-sbom-'))
    try {
      execFileSync(join('node_modules', '.bin', 'tsx'), ['tools/sbom/write-sbom.ts', folder])
      const document = JSON.parse(readFileSync(join(folder, 'hearth.cdx.json'), 'utf8')) as {
        bomFormat: string
        serialNumber: string
        components: { 'bom-ref': string; name: string; licenses: object[] }[]
        dependencies: { ref: string; dependsOn: string[] }[]
      }
      expect(document.bomFormat).toBe('CycloneDX')
      expect(document.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      const refs = new Set(document.components.map(each => each['bom-ref']))
      expect(refs.size).toBe(document.components.length)
      const names = new Set(document.components.map(({ name }) => name))
      for (const each of readdirSync('packages')) {
        const { dependencies = {} } = JSON.parse(readFileSync(join('packages', each, 'package.json'), 'utf8')) as {
          dependencies?: object
        }
        for (const name of Object.keys(dependencies)) expect(names).toContain(name)
      }
      expect(document.components.every(({ licenses }) => licenses.length === 1)).toBe(true)
      expect(document.dependencies.flatMap(({ dependsOn }) => dependsOn).every(ref => refs.has(ref))).toBe(true)
      expect(names).not.toContain('vitest')
      expect(readFileSync(join(folder, 'LICENCES.md'), 'utf8')).toContain('| fastify | ')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

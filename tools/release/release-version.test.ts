import { describe, expect, it } from 'vitest'
import { isNewer, isVersion, repositoryUrl, withChartVersion, withRelease, withVersion } from './release-version.ts'

describe('isVersion', () => {
  it('accepts three numbers only', () => {
    expect(['1.0.0', '10.20.30'].every(isVersion)).toBe(true)
    expect(['', '1.0', 'v1.0.0', '1.0.0-rc.1'].some(isVersion)).toBe(false)
  })
})

describe('isNewer', () => {
  it('compares numbers, not texts', () => {
    expect(isNewer('0.10.0', '0.9.9')).toBe(true)
    expect(isNewer('1.0.0', '0.99.0')).toBe(true)
    expect(isNewer('1.0.0', '1.0.0')).toBe(false)
    expect(isNewer('1.9.0', '1.10.0')).toBe(false)
  })
})

describe('withVersion', () => {
  it('changes the version and the dependencies on packages of the workspace', () => {
    const manifest = {
      name: '@hearth/cli',
      version: '0.1.0',
      dependencies: { '@hearth/server': '0.1.0', zod: '4.0.0' },
    }
    expect(JSON.parse(withVersion(JSON.stringify(manifest), '1.0.0', ['@hearth/server']))).toEqual({
      name: '@hearth/cli',
      version: '1.0.0',
      dependencies: { '@hearth/server': '1.0.0', zod: '4.0.0' },
    })
  })
})

describe('repositoryUrl', () => {
  it('writes every form of an address like npm', () => {
    const url = 'git+https://code.example/shop/hearth.git'
    for (const remote of [
      'https://code.example/shop/hearth',
      'https://me:secret@code.example/shop/hearth/',
      'git@code.example:shop/hearth.git',
      'ssh://git@code.example/shop/hearth',
    ])
      expect(repositoryUrl(remote)).toBe(url)
  })

  it('rejects a folder', () => {
    expect(['/srv/hearth', '../hearth.git', 'file:///srv/hearth'].map(repositoryUrl)).toEqual(Array(3).fill(undefined))
  })

  it('becomes part of package.json', () => {
    const repository = {
      type: 'git',
      url: repositoryUrl('https://code.example/hearth')!,
      directory: 'packages/cli',
    } as const
    expect(JSON.parse(withVersion('{"version":"0.1.0"}', '1.0.0', [], repository))).toEqual({
      version: '1.0.0',
      repository,
    })
  })
})

describe('withChartVersion', () => {
  it('changes every occurrence, and rejects a file that has another version', () => {
    expect(withChartVersion('version: 0.1.0\nappVersion: 0.1.0\n', '0.1.0', '1.0.0')).toBe(
      'version: 1.0.0\nappVersion: 1.0.0\n',
    )
    expect(() => withChartVersion('version: 0.2.0\n', '0.1.0', '1.0.0')).toThrow(/does not name version 0\.1\.0/)
  })
})

describe('withRelease', () => {
  it('moves the unreleased changes to a section with version and date', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\n### Added\n\n- Old text.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n'
    const section = '## Unreleased\n\n### Added\n\n- New text.\n'
    expect(withRelease(changelog, section, '1.0.0', '2026-12-01')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 1.0.0 (2026-12-01)\n\n### Added\n\n- New text.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n',
    )
  })
})

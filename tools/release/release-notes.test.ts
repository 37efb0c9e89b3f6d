// Change files in, an Unreleased section out, and nothing else in the changelog touched.
import { describe, expect, test } from 'vitest'
import { changesOnDisk, readChange, sectionOf, withSection } from './release-notes.ts'

const name = '2026-11-pprof.md'

describe('a change file', () => {
  test('has a kind and one sentence, however it is wrapped', () => {
    expect(readChange(name, '---\nkind: added\n---\nReads pprof,\nlabels included.\n')).toEqual({
      kind: 'added',
      sentence: 'Reads pprof, labels included.',
    })
  })

  test.each([
    ['pprof.md', '---\nkind: added\n---\nA.', 'the name is not YYYY-MM-name.md'],
    ['2026-13-pprof.md', '---\nkind: added\n---\nA.', 'the name is not YYYY-MM-name.md'],
    [name, 'A sentence alone.', 'it does not open with ---'],
    [name, '---\nkind: broken\n---\nA.', 'kind is "broken", not one of added, changed, fixed, removed'],
    [name, '---\nkind: fixed\n---\n \n', 'the sentence is missing'],
  ])('is refused: %s %j', (fileName, text, message) => {
    expect(() => readChange(fileName, text)).toThrow(`tools/change-files/${fileName}: ${message}`)
  })

  test('in this repository is always readable', () => {
    expect(changesOnDisk).not.toThrow()
  })
})

describe('the section', () => {
  const changes = [
    { kind: 'fixed', sentence: 'C.' },
    { kind: 'added', sentence: 'A.' },
    { kind: 'added', sentence: 'B.' },
  ] as const
  const section = '## Unreleased\n\n### Added\n\n- A.\n- B.\n\n### Fixed\n\n- C.\n'

  test('groups by kind in a fixed order', () => {
    expect(sectionOf(changes)).toBe(section)
    expect(sectionOf([])).toBe('## Unreleased\n')
  })

  test('replaces the old one and leaves the others', () => {
    const changelog = '# Changelog\n\nWords.\n\n## Unreleased\n\n- old\n\n## 0.1.0\n\n- first\n'
    const written = withSection(changelog, section)
    expect(written).toBe(`# Changelog\n\nWords.\n\n${section}\n## 0.1.0\n\n- first\n`)
    expect(withSection(written, section)).toBe(written)
  })

  test('can be the last one', () => {
    expect(withSection('# Changelog\n\n## Unreleased\n', section)).toBe(`# Changelog\n\n${section}`)
  })

  test('needs its heading', () => {
    expect(() => withSection('# Changelog\n', section)).toThrow('no line "## Unreleased"')
  })
})

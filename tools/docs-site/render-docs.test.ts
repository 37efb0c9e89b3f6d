import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DOCS_NAV } from './docs-nav.ts'
import type { SearchEntry } from './render-docs.ts'
import { pageName, renderDocs } from './render-docs.ts'

const root = join(import.meta.dirname, '..', '..')

describe('the documentation site', () => {
  const { files, problems } = renderDocs(root)

  it('has every page of docs and no link that leads nowhere', () => {
    const listed = DOCS_NAV.flatMap(({ pages }) => pages.map(({ file }) => file))
    const present = readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md'))
    expect(present.filter(name => !listed.includes(`docs/${name}`))).toEqual([])
    expect(problems).toEqual([])
    const linked = [...files.values()].flatMap(html =>
      [...html.matchAll(/href="([^"#]+\.html)/g)].map(([, href]) => href),
    )
    expect(linked.filter(href => !files.has(href))).toEqual([])
  })

  it('links from page to page and to headings, and shows other files as text', () => {
    const html = files.get('server.html') ?? ''
    expect(html).toContain('<a href="symbols.html">')
    expect(html).toMatch(/<h2 id="send-data">/)
    expect(html).not.toContain('.md"')
  })

  it('finds sections by their text', () => {
    const entries = JSON.parse(files.get('search.json') ?? '[]') as readonly SearchEntry[]
    const found = entries.filter(({ text }) => text.includes('max-in-flight'))
    expect(found.map(({ at }) => at)).toContain('server.html#responses-to-senders')
    for (const { at } of entries) {
      const [name, id] = at.split('#')
      if (id !== undefined) expect(files.get(name)).toContain(`id="${id}"`)
    }
  })

  it('needs nothing from other hosts', () => {
    const names = ['docs.css', 'search.js'].map(name => readFileSync(join(import.meta.dirname, name), 'utf8'))
    for (const text of [...files.values(), ...names]) expect(text).not.toMatch(/(?:src|url)[=(]["']?https?:/)
    for (const { file } of DOCS_NAV.flatMap(({ pages }) => pages)) {
      expect(existsSync(join(root, file))).toBe(true)
      expect(files.has(pageName({ file, title: '' }))).toBe(true)
    }
  })
})

// Runs the search of the documentation over all pages, with the parts of a browser that it uses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderDocs } from './render-docs.ts'

const SEARCH = readFileSync(join(import.meta.dirname, 'search.js'), 'utf8')
const entries = renderDocs(join(import.meta.dirname, '..', '..')).files.get('search.json')!

class Element {
  value = ''
  hidden = false
  href = ''
  textContent = ''
  children: readonly Element[] = []
  readonly listeners = new Map<string, (event: object) => unknown>()

  addEventListener(name: string, listener: (event: object) => unknown): void {
    this.listeners.set(name, listener)
  }

  append(...children: readonly Element[]): void {
    this.children = [...this.children, ...children]
  }

  replaceChildren(...children: readonly Element[]): void {
    this.children = children
  }
}

describe('the search of the documentation', () => {
  let input: Element
  let list: Element
  let article: Element
  let requests: string[]

  beforeEach(() => {
    ;[input, list, article, requests] = [new Element(), new Element(), new Element(), []]
    const elements: Readonly<Record<string, Element>> = { '#search': input, '#found': list, article }
    runInNewContext(SEARCH, {
      document: {
        querySelector: (selector: string) => elements[selector],
        createElement: () => new Element(),
        addEventListener: () => {},
      },
      fetch: async (path: string) => {
        requests.push(path)
        return { json: async () => JSON.parse(entries) as unknown }
      },
    })
  })

  async function search(text: string): Promise<readonly (readonly [href: string, title: string, excerpt: string])[]> {
    input.value = text
    await input.listeners.get('input')!({})
    return list.children.map(({ children: [link, part] }) => [link.href, link.textContent, part.textContent])
  }

  it('shows the section whose title has the words first, and needs one file of the site', async () => {
    const [[href, title]] = await search('Retention size')
    expect([href, title]).toEqual(['server.html#retention', 'Server: Retention'])
    expect([list.hidden, article.hidden]).toEqual([false, true])
    await search('commit-window')
    expect(requests).toEqual(['search.json'])
  })

  it('shows whole words around the word', async () => {
    const found = await search('housekeeping-lease')
    const sections = JSON.parse(entries) as readonly { readonly at: string; readonly text: string }[]
    expect(found.length).toBeGreaterThan(1)
    for (const [href, , excerpt] of found) {
      const shown = excerpt.replaceAll('…', '').trim()
      const { text } = sections.find(({ at }) => at === href)!
      expect(` ${text} `).toContain(` ${shown} `)
      expect(shown).toContain('housekeeping-lease')
    }
  })

  it('shows the page again when the words are deleted, and says when there are no results', async () => {
    await search('zzzz')
    expect(list.textContent).toBe('No results')
    await search('')
    expect([list.hidden, article.hidden]).toEqual([true, false])
  })
})

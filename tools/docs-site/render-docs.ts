// Renders the documentation as static pages with a search that works offline. Links between the pages become relative links; a link to
// a file that is no page becomes its path as text. A link to a page, heading or picture that does not exist is an error.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import type { Tokens } from 'marked'
import { Marked } from 'marked'
import type { DocsPage } from './docs-nav.ts'
import { DOCS_NAV } from './docs-nav.ts'
import { NOT_RUN } from './documented-commands.ts'

export interface SearchEntry {
  /** The address of the section, relative to the folder of the site. */
  readonly at: string
  readonly page: string
  readonly title: string
  readonly text: string
}

export interface RenderedDocs {
  /** The files of the site by name. */
  readonly files: ReadonlyMap<string, string>
  /** Paths of pictures relative to the root of the repository, by their names in the site. */
  readonly pictures: ReadonlyMap<string, string>
  readonly problems: readonly string[]
}

interface Section {
  readonly id: string
  readonly title: string
  text: string
}

interface Content {
  readonly html: string
  readonly sections: readonly Section[]
}

/** `server.html` for docs/server.md, `packages-agent.html` for packages/agent/README.md. */
export function pageName({ file }: DocsPage): string {
  const name = file
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '')
    .replace(/\.md$/, '')
  return `${name.replaceAll('/', '-').toLowerCase()}.html`
}

export function renderDocs(root: string): RenderedDocs {
  const problems: string[] = []
  const pages = DOCS_NAV.flatMap(section => section.pages)
  const names = new Map(pages.map(page => [page.file, pageName(page)]))
  const linked: (readonly [from: string, name: string, id: string])[] = []
  const contents = new Map<string, Content>()
  const pictures = new Map<string, string>()
  for (const page of pages) {
    const link = (href: string): string | undefined => {
      const [path, id = ''] = href.split('#')
      const file = path === '' ? page.file : normalize(join(dirname(page.file), path))
      const name = names.get(file)
      if (name === undefined) return undefined
      linked.push([page.file, name, id])
      return path === '' ? `#${id}` : id === '' ? name : `${name}#${id}`
    }
    const picture = (href: string): string => {
      const file = normalize(join(dirname(page.file), href))
      if (!existsSync(join(root, file))) problems.push(`${page.file}: ${file} does not exist`)
      const name = `images/${basename(file)}`
      pictures.set(name, file)
      return name
    }
    contents.set(pageName(page), contentOf(readFileSync(join(root, page.file), 'utf8'), link, picture))
  }
  for (const [from, name, id] of linked)
    if (id !== '' && contents.get(name)?.sections.every(section => section.id !== id) === true)
      problems.push(`${from}: ${name} has no heading #${id}`)
  const files = new Map<string, string>()
  for (const page of pages) files.set(pageName(page), pageHtml(page, contents.get(pageName(page))!.html))
  const entries: SearchEntry[] = pages.flatMap(page =>
    contents.get(pageName(page))!.sections.map(({ id, title, text }) => ({
      at: id === '' ? pageName(page) : `${pageName(page)}#${id}`,
      page: page.title,
      title,
      text: text.replaceAll(/\s+/g, ' ').trim(),
    })),
  )
  files.set('search.json', JSON.stringify(entries))
  return { files, pictures, problems }
}

function contentOf(
  markdown: string,
  link: (href: string) => string | undefined,
  picture: (href: string) => string,
): Content {
  const sections: Section[] = [{ id: '', title: '', text: '' }]
  const used = new Map<string, number>()
  const marked: Marked = new Marked({
    walkTokens: token => {
      if (token.type === 'heading') sections.push({ id: '', title: plain((token as Tokens.Heading).text), text: '' })
      else if (
        (token.type === 'text' && (token as Tokens.Text).tokens === undefined) ||
        token.type === 'code' ||
        token.type === 'codespan'
      )
        sections[sections.length - 1].text += ` ${(token as Tokens.Text).text}`
    },
    renderer: {
      heading({ tokens, depth, text }) {
        const id = uniqueId(plain(text), used)
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        if (/^(?:https?|mailto):/.test(href)) return `<a href="${escaped(href)}" rel="noreferrer">${text}</a>`
        const target = link(href)
        return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`
      },
      image({ href, text }) {
        return `<img src="${escaped(picture(href))}" alt="${escaped(text)}" loading="lazy">`
      },
      // Comments and pictures in HTML are for the repository, except for those about commands.
      html({ text }): string {
        const reason = NOT_RUN.exec(text)?.[1]
        return reason === undefined
          ? ''
          : `<p class="not-run">Not run by the tests: ${this.parser.parseInline(marked.Lexer.lexInline(reason))}</p>\n`
      },
      table(token) {
        const cell = (name: string, { tokens, align }: Tokens.TableCell): string =>
          `<${name}${align === null ? '' : ` class="${align}"`}>${this.parser.parseInline(tokens)}</${name}>`
        const row = (name: string, cells: readonly Tokens.TableCell[]): string =>
          `<tr>${cells.map(each => cell(name, each)).join('')}</tr>`
        const head = token.header.some(({ text }) => text !== '') ? `<thead>${row('th', token.header)}</thead>` : ''
        return `<div class="scrolls"><table>${head}<tbody>${token.rows.map(each => row('td', each)).join('')}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  // The same ids as in the headings, in the same order.
  const ids = new Map<string, number>()
  return {
    html,
    sections: sections.map(section => ({ ...section, id: section.title === '' ? '' : uniqueId(section.title, ids) })),
  }
}

/** As code hosts make them: `#the-debian-package`. */
function uniqueId(title: string, used: Map<string, number>): string {
  const id = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  const count = used.get(id) ?? 0
  used.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}

/** Without Markdown's marks. */
function plain(text: string): string {
  return text.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function pageHtml(page: DocsPage, content: string): string {
  const nav = DOCS_NAV.map(
    ({ title, pages }) =>
      `<h2>${escaped(title)}</h2><ul>${pages
        .map(
          each =>
            `<li><a href="${pageName(each)}"${each === page ? ' aria-current="page"' : ''}>${escaped(each.title)}</a></li>`,
        )
        .join('')}</ul>`,
  ).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(page.title)} · Hearth</title>
<link rel="icon" href="hearth.svg" type="image/svg+xml">
<link rel="stylesheet" href="docs.css">
<script type="module" src="search.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a class="brand" href="index.html">Hearth</a>
<input id="search" type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off">
<a href="../">UI</a></header>
<div class="page">
<nav aria-label="Pages">${nav}</nav>
<main id="content"><ol id="found" hidden></ol><article>${content}</article></main>
</div>
</body>
</html>
`
}

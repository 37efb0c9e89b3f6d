import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SOURCE = fileURLToPath(new URL('..', import.meta.url))
const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).map(name => join(SOURCE, name))
const textOf = (file: string): string => readFileSync(file, 'utf8')

/** A file and everything that it imports, without the parts that load later. */
function closureOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file) || !file.startsWith(SOURCE)) return seen
  seen.add(file)
  if (!file.endsWith('.css')) {
    for (const [, path] of textOf(file).matchAll(/(?:from|import)\s+'(\.[^']+)'/g)) {
      closureOf(resolve(dirname(file), path), seen)
    }
  }
  return seen
}

/** The names in `class="a b"`, and those in quotes in `class={…}`. */
function classesIn(text: string): string[] {
  return [...text.matchAll(/\sclass=(?:"([^"]*)"|\{([^}]*)\})/g)].flatMap(([, plain, computed = '']) =>
    (plain ?? [...computed.matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted).join(' ')).split(/\s+/),
  )
}

/** Style sheets by the classes that are styled on their own there. */
const SHEETS = new Map<string, string[]>()
for (const sheet of FILES.filter(file => file.endsWith('.css'))) {
  for (const [, name] of textOf(sheet).matchAll(/^\.([a-z][\w-]*)(?=[,:\s])(?! *[>+~.\w])/gm)) {
    SHEETS.set(name, [...(SHEETS.get(name) ?? []), sheet])
  }
}

describe('the style sheets of a screen', () => {
  const always = closureOf(join(SOURCE, 'main.tsx'))
  const screens = FILES.filter(file => file.endsWith('-screen.tsx'))

  // Otherwise the layout of a screen would depend on the screens that were opened before.
  it.each(screens.map(file => [file.slice(SOURCE.length), file]))('style every class of %s', (_, screen) => {
    const loaded = closureOf(screen)
    const missing = [...loaded]
      .filter(file => file.endsWith('.tsx'))
      .flatMap(file => classesIn(textOf(file)))
      .filter(name => SHEETS.get(name)?.some(sheet => loaded.has(sheet) || always.has(sheet)) === false)
    expect([...new Set(missing)]).toEqual([])
  })
})

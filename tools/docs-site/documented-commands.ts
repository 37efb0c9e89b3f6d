// The commands of the documentation: blocks of the language `sh`. A test runs them, unless a comment above a block names another file that
// tests the same with other values, or says why nothing runs them. The site shows the second kind of comment.
//
//   <!-- tested by tools/packaging/check-deb.ts -->
//   <!-- tested by a.test.ts and b.test.ts -->
//   <!-- not run: needs Kubernetes -->
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCS_NAV } from './docs-nav.ts'

export interface CommandBlock {
  /** Relative to the root of the repository. */
  readonly page: string
  readonly line: number
  readonly script: string
  /** The files that run the same commands with other values. */
  readonly testedBy?: readonly string[]
  /** The reason for which nothing runs it. */
  readonly notRun?: string
}

/** Generated pages: their commands come from tables that have tests of their own. */
const GENERATED = ['docs/cli.md', 'docs/quick-starts.md', 'CHANGELOG.md']
const BLOCK = /(?:^<!-- (tested by|not run:) (.+?) -->\n)?^```(\w*)\n([^]*?)^```$/gm
const COMMAND = /^(?:\w+=\S+ )*(?:npx|npm|hearth|node|curl|docker|helm|kubectl|sudo|git|grpcurl|systemctl) /m

export const NOT_RUN = /^<!-- not run: (.+?) -->/

/** Every block with commands. Throws Error if one is not marked as `sh`. */
export function documentedCommands(root: string): readonly CommandBlock[] {
  const pages = ['README.md', ...DOCS_NAV.flatMap(section => section.pages.map(({ file }) => file))]
  return pages
    .filter(page => !GENERATED.includes(page))
    .flatMap(page => {
      const text = readFileSync(join(root, page), 'utf8')
      return [...text.matchAll(BLOCK)].flatMap(({ index, 1: kind, 2: about, 3: language, 4: script }) => {
        const line = text.slice(0, index).split('\n').length
        if (language === '' && COMMAND.test(script))
          throw new Error(`${page}:${line}: a block with commands needs the language sh`)
        if (language !== 'sh') return []
        const mark =
          kind === undefined ? {} : kind === 'tested by' ? { testedBy: about.split(' and ') } : { notRun: about }
        return [{ page, line, script, ...mark }]
      })
    })
}

/** `hearth` commands in scripts, without what follows `--`, a pipe or a comment, and without quoted texts. */
export function hearthCommands(script: string): readonly string[] {
  const lines = script.replaceAll(/\\\n\s*/g, ' ').split('\n')
  return lines.flatMap(line => {
    const plain = line.replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT').replace(/\s#.*$/, '')
    return plain
      .split(/\s(?:&&|\|)\s/)
      .flatMap(command => /^\s*(?:sudo )?(?:\w+=\S+ )*(?:npx )?hearth( .*)$/.exec(command)?.[1] ?? [])
      .map(command => command.split(' -- ')[0].trim().replaceAll(/ +/g, ' '))
  })
}

/** The help of each command, by its words, from docs/cli.md. */
export function commandHelp(root: string): ReadonlyMap<string, string> {
  const sections = readFileSync(join(root, 'docs', 'cli.md'), 'utf8').split(/^#+ hearth ?/m)
  return new Map(sections.slice(1).map(text => [text.slice(0, text.indexOf('\n')), text]))
}

interface CommandParts {
  /** Such as `admin token create`; empty if there is no such command. */
  readonly name: string
  /** Such as `--data`, without values. */
  readonly options: readonly string[]
}

function partsOf(command: string, help: ReadonlyMap<string, string>): CommandParts {
  const words = command.split(/\s+/)
  let count = words.length
  while (count > 0 && !help.has(words.slice(0, count).join(' '))) count--
  const options = words.slice(count).filter(word => /^--?[a-z]/.test(word))
  return { name: words.slice(0, count).join(' '), options: options.map(option => option.split('=')[0]) }
}

/** Describes what is wrong with a command; undefined if its words and options exist. */
export function wrongCommand(command: string, help: ReadonlyMap<string, string>): string | undefined {
  const { name, options } = partsOf(command, help)
  if (name === '') return `unknown command ${command.split(' ')[0]}`
  const section = help.get(name) ?? ''
  const unknown = options.filter(option => !new RegExp(`^ .*(?<![\\w-])${option}(?![\\w-])`, 'm').test(section))
  return unknown.length === 0 ? undefined : `${name} has no option ${unknown.join(', ')}`
}

/** The words and long options of a command that do not occur in a test. Tests of `serve` and of the demo start them in other ways. */
export function untestedWords(command: string, help: ReadonlyMap<string, string>, test: string): readonly string[] {
  const { name, options } = partsOf(command, help)
  const words = [
    ...name.split(' ').filter(word => word !== 'serve'),
    ...options.filter(option => option.startsWith('--')).map(option => option.slice(2)),
  ]
  return words.filter(word => !new RegExp(`(?:^|--|[^\\w-])${word}(?![\\w-])`).test(test))
}

// Holds comments, texts, names and docs to tools/language-rules.ts. `npm run language -- PATH…` checks only some paths.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { identifiers, sentenceOpeners, words, type WordRule } from './language-rules.ts'
import { scanSource, type SourcePart } from './scan-source.ts'

export interface LanguageProblem {
  readonly line: number
  readonly found: string
  readonly suggestion: string
}

interface Prose {
  readonly text: string
  readonly line: number
  /** Comments and test names are sentences. Other texts may be fragments, so their openers are not checked. */
  readonly sentences: boolean
}

/** The problems of a TypeScript or Markdown file, in the order of their lines. */
export function checkLanguage(path: string, text: string): readonly LanguageProblem[] {
  const problems = path.endsWith('.md') ? problemsInProse(paragraphsOf(text)) : problemsInSource(text)
  return problems.toSorted((a, b) => a.line - b.line)
}

function problemsInSource(source: string): LanguageProblem[] {
  const parts = scanSource(source)
  const problems = problemsInProse([...commentsOf(parts), ...textsOf(parts)])
  for (const { kind, text, line } of parts) {
    if (kind === 'code') problems.push(...matches(identifiers, text, line))
  }
  return problems
}

function problemsInProse(prose: Iterable<Prose>): LanguageProblem[] {
  const problems: LanguageProblem[] = []
  for (const { text, line, sentences } of prose) {
    // Names in backquotes are code.
    const plain = text.replace(/`[^`\n]*`/g, quoted => quoted.replace(/[^\n]/g, '.'))
    problems.push(...matches(words, plain, line))
    if (!sentences) continue
    for (const { 0: sentence, index } of plain.matchAll(/(?<=^|[.!?]\s+|\n\s*\n\s*)[A-Z][^.!?]*[.!?]?/g)) {
      problems.push(...matches(sentenceOpeners, sentence, line + newlinesIn(plain.slice(0, index))))
    }
  }
  return problems
}

function matches(rules: readonly WordRule[], text: string, line: number): LanguageProblem[] {
  return rules.flatMap(({ pattern, suggestion }) =>
    [...text.matchAll(new RegExp(pattern, pattern.flags + 'g'))].map(match => ({
      line: line + newlinesIn(text.slice(0, match.index)),
      found: match[0],
      suggestion,
    })),
  )
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1
}

/** Comments of consecutive lines are one text: a sentence may go on in the next line. */
function commentsOf(parts: readonly SourcePart[]): Prose[] {
  const comments: { text: string; line: number; sentences: true }[] = []
  for (const [index, { kind, text, line }] of parts.entries()) {
    if (kind !== 'comment') continue
    const plain = text
      .replace(/^\*/, '')
      .replace(/^\s*\* ?/gm, '')
      .trim()
    const last = comments.at(-1)
    const between = parts[index - 1]
    const goesOn =
      last !== undefined &&
      parts[index - 2]?.kind === 'comment' &&
      between.kind === 'code' &&
      /^\n[ \t]*$/.test(between.text) &&
      last.line + newlinesIn(last.text) + 1 === line
    if (goesOn) last.text += `\n${plain}`
    else comments.push({ text: plain, line, sentences: true })
  }
  return comments
}

/** Strings with at least two words, and text between JSX tags. */
function* textsOf(parts: readonly SourcePart[]): Generator<Prose> {
  for (const [index, { kind, text, line }] of parts.entries()) {
    if ((kind === 'string' || kind === 'template') && /[A-Za-z] [A-Za-z]/.test(text) && !isSql(text)) {
      const before = parts[index - 1]
      const isTestName =
        before?.kind === 'code' && /\b(?:describe|it|test)(?:\.\w+)?(?:\([^()]*\))?\($/.test(before.text)
      yield { text: isTestName ? text[0].toUpperCase() + text.slice(1) : text, line, sentences: isTestName }
    } else if (kind === 'code') {
      for (const match of text.matchAll(/>([^<>{}=;()]*[A-Za-z] [A-Za-z][^<>{}=;()]*)(?=[<{])/g)) {
        yield { text: match[1], line: line + newlinesIn(text.slice(0, match.index + 1)), sentences: false }
      }
    }
  }
}

function isSql(text: string): boolean {
  return /\b(?:SELECT|FROM|WHERE|INSERT|ALTER|CREATE|GROUP BY|ARRAY JOIN)\b/.test(text)
}

/** Paragraphs, list items and table cells of a Markdown text, without code. */
function paragraphsOf(text: string): Prose[] {
  const plain = text.replace(/^```[\s\S]*?^```/gm, code => code.replace(/[^\n]/g, ''))
  return plain.split('\n').map((line, index) => ({
    text: line.replace(/^[\s>#*\-|\d.]+/, ''),
    line: index + 1,
    sentences: false,
  }))
}

function main(): void {
  process.chdir(join(import.meta.dirname, '..'))
  const tracked = execFileSync('git', [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    ...process.argv.slice(2),
  ])
  const files = tracked
    .toString()
    .split('\n')
    .filter(path => /\.(?:tsx?|md)$/.test(path) && !isExempt(path))
  let count = 0
  for (const file of files) {
    for (const { line, found, suggestion } of checkLanguage(file, readFileSync(file, 'utf8'))) {
      console.error(`${file}:${line}: "${found.split('\n')[0].slice(0, 60)}": ${suggestion}`)
      count++
    }
  }
  if (count > 0) {
    console.error(`\n${count} places to write in plain English (tools/language-rules.ts).`)
    process.exitCode = 1
  } else {
    console.log(`${files.length} files keep to tools/language-rules.ts.`)
  }
}

/** The list of words itself, its test, and texts that are generated or quoted from elsewhere. */
function isExempt(path: string): boolean {
  return /^tools\/(?:language-rules|check-language\.test)\.ts$|\/generated\/|\/testdata\/|\/fixtures\//.test(path)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()

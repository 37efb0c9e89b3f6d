import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandHelp, documentedCommands, hearthCommands, untestedWords, wrongCommand } from './documented-commands.ts'

const root = join(import.meta.dirname, '..', '..')
const blocks = documentedCommands(root)

describe('the commands of the documentation', () => {
  it('have words and options that exist', () => {
    const help = commandHelp(root)
    const scripts = [
      ...blocks.map(({ page, line, script }) => ({ place: `${page}:${line}`, script })),
      { place: 'docs/quick-starts.md', script: readFileSync(join(root, 'docs', 'quick-starts.md'), 'utf8') },
      { place: 'docs/cli.md', script: [...help.values()].map(text => text.split('Examples:\n')[1] ?? '').join('\n') },
    ]
    const commands = scripts.flatMap(({ place, script }) => hearthCommands(script).map(command => [place, command]))
    expect(commands.length).toBeGreaterThan(150)
    const wrong = commands.map(([place, command]) => [place, command, wrongCommand(command, help)])
    expect(wrong.filter(([, , problem]) => problem !== undefined)).toEqual([])
  })

  it('name files of tests that exist and have the same words and options', () => {
    const help = commandHelp(root)
    const tested = blocks.flatMap(({ page, line, script, testedBy }) =>
      testedBy === undefined ? [] : [{ place: `${page}:${line}`, commands: hearthCommands(script), testedBy }],
    )
    expect(tested.length).toBeGreaterThan(10)
    const missing = tested.flatMap(({ place, commands, testedBy }) => {
      const text = testedBy.map(file => readFileSync(join(root, file), 'utf8')).join('\n')
      return commands.flatMap(command => untestedWords(command, help, text).map(word => [place, command, word]))
    })
    expect(missing).toEqual([])
    expect(untestedWords('admin token create --name x', help, "['admin', 'token', '--name']")).toEqual(['create'])
  })

  it('are recognised in pipes, behind variables and with continued lines', () => {
    expect(
      hearthCommands("A=1 npx hearth top x | hearth inspect - --json # why\ncurl x && hearth flame a \\\n  -o 'b c'"),
    ).toEqual(['top x', 'inspect - --json', 'flame a -o TEXT'])
    expect(wrongCommand('admin token create --nome x', commandHelp(root))).toBe(
      'admin token create has no option --nome',
    )
    expect(wrongCommand('tops x', commandHelp(root))).toBe('unknown command tops')
  })
})

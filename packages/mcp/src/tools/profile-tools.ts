// Tools that read profiles.
import { formatValue } from '@hearth/profile'
import { z } from 'zod'
import { BoundedText, DEFAULT_TOKENS } from '../bounded-text.ts'
import { percent, textTree } from '../text-tree.ts'
import type { Tool } from './tool.ts'
import { defineTool, given, maxTokens, range, selector } from './tool.ts'

const NARROWER = 'Use a narrower selector, a shorter range or more tokens.'
/** The number of functions that a comparison lists. */
const MAX_CHANGES = 500

const listServices = defineTool({
  name: 'list_services',
  title: 'List services',
  description: 'Services that have profiles in a range, with their profile types.',
  input: { ...range, maxTokens },
  async run(client, { from, to, maxTokens: tokens }, signal) {
    const { services } = await client.query('services', given({ from, to }), { signal })
    const text = new BoundedText(tokens)
    if (services.length === 0) text.add('No service has profiles in this range.')
    for (const { service, profiles, types } of services)
      text.add(`${service === '' ? '(no service.name)' : service}: ${types.join(', ')} (${profiles} profiles)`)
    return text.text(NARROWER)
  },
})

const listTypes = defineTool({
  name: 'list_profile_types',
  title: 'List profile types',
  description: 'Profile types in a range, with units and numbers of profiles.',
  input: { selector: selector.optional(), ...range, maxTokens },
  async run(client, { selector: own, from, to, maxTokens: tokens }, signal) {
    const { profileTypes: types } = await client.query('profileTypes', given({ selector: own, from, to }), { signal })
    const text = new BoundedText(tokens)
    if (types.length === 0) text.add('No profiles in this range.')
    for (const { type, unit, profiles } of types) text.add(`${type}:${unit} (${profiles} profiles)`)
    return text.text(NARROWER)
  },
})

const flameGraph = defineTool({
  name: 'flame_graph',
  title: 'Flame graph',
  description: 'The merged call tree of profiles as indented text: share of the total, function, own share.',
  input: {
    selector,
    ...range,
    order: z.enum(['root-first', 'leaf-first']).optional().describe('leaf-first shows callers below each function'),
    maxTokens,
  },
  async run(client, { selector: own, from, to, order, maxTokens: tokens = DEFAULT_TOKENS }, signal) {
    const nodes = Math.min(16_384, tokens * 4)
    const tree = await client.query('flameGraph', { selector: own, nodes, ...given({ from, to, order }) }, { signal })
    if (tree.profiles === 0) return 'No profiles match in this range.'
    const heading = [
      `${tree.type}:${tree.unit}, total ${formatValue(Number(tree.sum), tree.unit)}, ${tree.profiles} profiles`,
    ]
    const { parent, frame } = tree.nodes
    const text = {
      parent,
      frame,
      self: tree.nodes.self.map(Number),
      total: tree.nodes.total.map(Number),
      name: (f: number) =>
        `${tree.frames[f].name}${tree.frames[f].file === undefined ? '' : ` ${tree.frames[f].file}`}`,
    }
    return textTree(text, heading, tokens, NARROWER)
  },
})

const top = defineTool({
  name: 'top',
  title: 'Top functions',
  description: 'Functions by their own (self) or total value.',
  input: { selector, ...range, sort: z.enum(['self', 'total']).optional(), maxTokens },
  async run(client, { selector: own, from, to, sort, maxTokens: tokens = DEFAULT_TOKENS }, signal) {
    const limit = Math.ceil(tokens / 8)
    const found = await client.query('top', { selector: own, limit, ...given({ from, to, sort }) }, { signal })
    const text = new BoundedText(tokens)
    if (found.profiles === 0) return 'No profiles match in this range.'
    const sum = Number(found.sum)
    text.add(`${found.type}:${found.unit}, total ${formatValue(sum, found.unit)}. Columns: self, total, function, file`)
    for (const { frame, self, total } of found.rows)
      text.add(`${percent(Number(self), sum)} ${percent(Number(total), sum)} ${frame.name} ${frame.file ?? ''}`)
    return text.text(NARROWER, found.rows.length === limit)
  },
})

const diff = defineTool({
  name: 'diff',
  title: 'Compare two ranges or selectors',
  description:
    'The functions whose share changed between a baseline and a comparison, with 95 % intervals and significance. Causes are grouped.',
  input: {
    selector,
    ...range,
    beforeSelector: z.string().optional().describe('Baseline selector. Default: the same'),
    beforeFrom: z.string().optional().describe('Start of the baseline. Default: the time before the range'),
    beforeTo: z.string().optional(),
    maxTokens,
  },
  async run(client, { maxTokens: tokens, selector: own, ...rest }, signal) {
    const found = await client.query(
      'changes',
      { selector: own, ...given(rest), limit: MAX_CHANGES, reference: 'typical' },
      { signal },
    )
    const text = new BoundedText(tokens)
    const { observations, runs, variation, detectable } = found
    if (observations.before === 0 || observations.after === 0)
      return 'One side has no profiles. Nothing can be compared.'
    text.add(
      `${found.type}:${found.unit}: ${observations.before} and ${observations.after} samples, ${runs.before} and ${runs.after} runs, ` +
        `runs differ by ${percent(variation, 1)}.`,
    )
    if (detectable !== undefined)
      text.add(
        `In a function with 1 % of the total, a change of ${percent(detectable, 1)} of the total or more can be seen.`,
      )
    if (found.found.length === 0) text.add('No function costs significantly more.')
    for (const { causes, change, margin, before, functions } of found.found) {
      const growth = before > 0 ? ` (+${percent(change, before)})` : ''
      text.add(
        `${causes[0].name} ${causes[0].file}: +${formatValue(Math.round(change), found.unit)} ± ${formatValue(Math.round(margin), found.unit)}${growth}`,
      )
      const callers = causes.slice(1).map(({ name }) => name)
      if (callers.length > 0) text.add(`  called by ${callers.join(', ')}`)
      if (functions.length > 1)
        text.add(
          `  also grown: ${functions
            .slice(1, 8)
            .map(({ name }) => name)
            .join(', ')}`,
        )
    }
    text.add('All changes by self. Columns: before, after, ± margin, q, function')
    for (const { name, self } of found.rows)
      text.add(
        `${percent(self.before, 1)} ${percent(self.after, 1)} ± ${percent(self.margin, 1)} q=${self.q.toPrecision(2)} ${name}`,
      )
    return text.text(NARROWER, found.rows.length === MAX_CHANGES)
  },
})

const source = defineTool({
  name: 'source_lines',
  title: 'Source lines',
  description: 'The lines of a function with their cost, and their text if the server has it.',
  input: { selector, function: z.string().describe('Name of the function'), ...range, maxTokens },
  async run(client, { selector: own, function: name, from, to, maxTokens: tokens }, signal) {
    const predicate = `${own} | frame ${JSON.stringify(name)}`
    const found = await client.query(
      'top',
      { selector: predicate, by: 'line', limit: 2000, ...given({ from, to }) },
      { signal },
    )
    const sum = Number(found.sum)
    const text = new BoundedText(tokens)
    const rows = found.rows
      .map(({ frame, self, total }) => ({ ...frame, self: Number(self), total: Number(total) }))
      .filter(row => row.name === name)
    if (rows.length === 0) return `No samples of ${name} match.`
    text.add(`${name}: share of its stacks by line. Columns: line, self, total, text`)
    const texts = new Map<string, readonly string[]>()
    for (const { file = '', line = '', self, total } of rows) {
      if (!texts.has(file)) texts.set(file, await linesOf(file))
      const code = texts.get(file)?.[Number(line) - 1]?.trim() ?? ''
      text.add(`${file}:${line} ${percent(self, sum)} ${percent(total, sum)} ${code}`)
    }
    return text.text(NARROWER)

    async function linesOf(file: string): Promise<readonly string[]> {
      try {
        const response = await client.query('source', { file }, { signal })
        return response.text?.split('\n') ?? []
      } catch {
        // Without source code, the lines still have their cost.
        return []
      }
    }
  },
})

export const profileTools: readonly Tool[] = [listServices, listTypes, flameGraph, top, diff, source]

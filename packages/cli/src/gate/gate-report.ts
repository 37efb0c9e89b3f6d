// The result of `hearth gate` for people, CI systems and scripts.
import { formatValue } from '@hearth/profile'
import { countOf } from '../terminal/count-text.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import type { GateLimits, GateResult, Increase } from './find-increases.ts'

export const GATE_FORMATS = ['table', 'markdown', 'junit', 'json', 'github'] as const
export type GateFormat = (typeof GATE_FORMATS)[number]

export function gateReport(
  format: GateFormat,
  result: GateResult,
  limits: GateLimits,
  width: number | undefined,
): readonly string[] {
  switch (format) {
    case 'table':
      return [...summary(result, limits), ...tableLines(result, width)]
    case 'markdown':
      return [`### ${title(result)}`, '', ...summary(result, limits), ...markdownLines(result)]
    case 'junit':
      return junitLines(result, limits)
    case 'github':
      return [...result.increases.map(increase => annotation(increase, result)), ...summary(result, limits)]
    case 'json':
      return [JSON.stringify({ passed: result.increases.length === 0, ...result }, undefined, 2)]
  }
}

function title({ increases }: GateResult): string {
  return increases.length === 0 ? 'No significant increase' : `${countOf(increases.length, 'significant increase')}`
}

function summary(result: GateResult, { maxIncrease, minShare }: GateLimits): string[] {
  const { type, baseRuns, newRuns, variation, functions } = result
  const runs = `${countOf(baseRuns, 'base run')}, ${countOf(newRuns, 'new run')}`
  const varied =
    baseRuns + newRuns > 2
      ? `; runs of a side differ by ${percentText(variation)}`
      : '; one run of a side does not show how much runs differ'
  return [
    `${printable(type === '' ? 'profile' : type)}: ${runs}, ${countOf(functions, 'function')} compared${varied}`,
    `${title(result)} above ${maxIncrease} % in functions with at least ${minShare} % of the new runs.`,
  ]
}

/** `12.3 %`, or `1.24 s` for values per run. */
function valueText(value: number, { compare, unit }: GateResult): string {
  return compare === 'share' ? percentText(value) : formatValue(Math.round(value), unit)
}

function percentText(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`
}

/** `+31 %`, or `new`. */
function growthText({ base, new: now }: Increase): string {
  return base === 0 ? 'new' : `+${((100 * (now - base)) / base).toFixed(0)} %`
}

function cells(increase: Increase, result: GateResult): string[] {
  return [
    valueText(increase.base, result),
    valueText(increase.new, result),
    `± ${valueText(increase.margin, result)}`,
    growthText(increase),
    increase.q < 0.0001 ? '<0.0001' : increase.q.toFixed(4),
    increase.kind,
    printable(increase.name),
    printable(increase.place),
  ]
}

function tableLines(result: GateResult, width: number | undefined): string[] {
  if (result.increases.length === 0) return []
  const columns = [
    { title: 'BASE', align: 'right' },
    { title: 'NEW', align: 'right' },
    { title: '95 %', align: 'right' },
    { title: 'INCREASE', align: 'right' },
    { title: 'Q', align: 'right' },
    { title: '' },
    { title: 'NAME', flexible: true },
    { title: 'FILE', flexible: true, cut: 'start' },
  ] as const
  return [
    '',
    ...table(
      columns,
      result.increases.map(increase => cells(increase, result)),
      width,
    ),
  ]
}

function markdownLines(result: GateResult): string[] {
  if (result.increases.length === 0) return []
  const escaped = (text: string): string => text.replaceAll(/[\\|`<>*_[\]]/g, String.raw`\$&`)
  return [
    '',
    '| base | new | 95 % | increase | q | | function | file |',
    '|---:|---:|---:|---:|---:|---|---|---|',
    ...result.increases.map(increase => `| ${cells(increase, result).map(escaped).join(' | ')} |`),
  ]
}

/** One sentence: `editDistance (self): 12.3 % to 17.1 % ± 1.20 %, +39 %`. */
function sentence(increase: Increase, result: GateResult): string {
  const [base, now, margin, growth] = cells(increase, result)
  return `${printable(increase.name)} (${increase.kind}): ${base} to ${now} ${margin}, ${growth}`
}

/** A workflow command of GitHub Actions. */
function annotation(increase: Increase, result: GateResult): string {
  const text = sentence(increase, result).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `::error title=Performance regression::${text}`
}

function junitLines(result: GateResult, limits: GateLimits): string[] {
  const escaped = (text: string): string =>
    text
      // XML has no character references for these.
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g, '\u{FFFD}')
      .replaceAll(/[&<>"]/g, character => `&#${character.codePointAt(0)};`)
  const { increases } = result
  const cases = increases.flatMap(increase => [
    `  <testcase classname="hearth gate" name="${escaped(`${increase.name} (${increase.kind})`)}">`,
    `    <failure message="${escaped(sentence(increase, result))}"/>`,
    '  </testcase>',
  ])
  const passed = `  <testcase classname="hearth gate" name="${escaped(summary(result, limits)[1])}"/>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="hearth gate" tests="${Math.max(1, increases.length)}" failures="${increases.length}">`,
    ...(increases.length === 0 ? [passed] : cases),
    '</testsuite>',
  ]
}

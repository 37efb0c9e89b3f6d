import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

function page(name: string): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
}

describe('the summary of benchmarks in the README', () => {
  it('states only figures that stand in docs/benchmarks.md', () => {
    const summary = page('README.md').split('## Speed')[1].split('\n## ')[0]
    const figures = [...summary.matchAll(/\d[\d,.]*(?:×| s\b| MB\b)/g)].map(([figure]) => figure)
    expect(figures.length).toBeGreaterThanOrEqual(5)
    const benchmarks = page('docs/benchmarks.md')
    for (const figure of figures) expect(benchmarks).toContain(figure.replace(/ s$/, ''))
  })
})

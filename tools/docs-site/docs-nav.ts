// The pages of the documentation site, in order. A page is a Markdown file of the repository.

export interface DocsPage {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly title: string
}

export interface DocsSection {
  readonly title: string
  readonly pages: readonly DocsPage[]
}

const page = (file: string, title: string): DocsPage => ({ file, title })

export const DOCS_NAV: readonly DocsSection[] = [
  {
    title: 'Start',
    pages: [
      page('docs/index.md', 'Welcome'),
      page('docs/tutorial.md', 'Tutorial'),
      page('docs/install.md', 'Install'),
      page('docs/quick-starts.md', 'Quick starts by language'),
    ],
  },
  {
    title: 'How to',
    pages: [
      page('docs/scraping.md', 'Scrape Go services'),
      page('packages/agent/README.md', 'Profile Node.js'),
      page('docs/captures.md', 'Capture profiles on demand'),
      page('docs/alerts.md', 'Find regressions, get alerts'),
      page('docs/ci.md', 'Check performance in CI'),
      page('docs/symbols.md', 'Names of native code'),
      page('docs/migration.md', 'Move from Pyroscope or Parca'),
      page('docs/store-cluster.md', 'Store data in ClickHouse'),
      page('docs/capacity.md', 'Plan capacity'),
      page('docs/security.md', 'Secure the server'),
      page('docs/reliability.md', 'Backups and repair'),
      page('docs/assistants.md', 'Assistants (MCP)'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('docs/server.md', 'Server'),
      page('docs/cli.md', 'Command line'),
      page('docs/api.md', 'HTTP API'),
      page('docs/library.md', 'Library'),
      page('docs/broker.md', 'Broker'),
      page('docs/validation.md', 'Validation rules'),
      page('docs/compatibility.md', 'Compatibility'),
      page('CHANGELOG.md', 'Changelog'),
    ],
  },
  {
    title: 'Explanation',
    pages: [
      page('docs/ledger.md', 'Where time went'),
      page('docs/pprof-otlp.md', 'pprof and OTLP'),
      page('docs/comparison.md', 'Comparison with others'),
      page('docs/benchmarks.md', 'Benchmarks'),
      page('docs/sizes.md', 'Sizes of formats'),
      page('ARCHITECTURE.md', 'Architecture'),
    ],
  },
]

// Commands and settings that send data to this server, for copying. docs/quick-starts.md has the same with the default addresses;
// `checked` says there how each was tried.
import { NATIVE_SNIPPETS } from './native-snippets.ts'
import type { Receivers } from './receivers.ts'
import { RUNTIME_SNIPPETS } from './runtime-snippets.ts'
import { collectorExporter, environment, lines } from './snippet.ts'
import type { Snippet } from './snippet.ts'

export const SNIPPETS: readonly [Snippet, ...Snippet[]] = [
  {
    value: 'file',
    title: 'File',
    text: ({ otlpHttp, needsToken }) =>
      `${needsToken ? 'HEARTH_TOKEN=… ' : ''}npx hearth push cpu.pb.gz --service checkout --to ${otlpHttp}`,
    note: 'pprof, JFR, perf, V8, folded stacks, speedscope, Firefox, OTLP and more. Hearth detects the format.',
    checked: 'Run by the tests of `hearth push`.',
  },
  {
    value: 'node',
    title: 'Node.js',
    text: at =>
      [
        '# npm install @hearth/agent',
        lines('OTEL_SERVICE_NAME=checkout', ...environment(at), 'node --import @hearth/agent/register app.js'),
      ].join('\n'),
    note: 'The agent records CPU, wall time and heap and sends them every 10 s.',
    checked: 'Run with Node.js 20, in November 2026, and by the tests of the agent.',
    hasPicture: true,
  },
  ...RUNTIME_SNIPPETS,
  ...NATIVE_SNIPPETS,
  {
    value: 'sdk',
    title: 'OpenTelemetry SDK',
    text: at => environment(at).join('\n'),
    note: 'For traces, logs and metrics of any language. The same process can be profiled too: its samples then carry trace and span IDs.',
    checked: "Run by tests with OpenTelemetry's exporters for Node.js.",
  },
  {
    value: 'collector',
    title: 'OpenTelemetry Collector',
    text: at =>
      [
        ...collectorExporter(at),
        'service:',
        '  pipelines:',
        '    profiles:',
        '      receivers: [otlp]',
        '      exporters: [otlp_grpc/hearth]',
      ].join('\n'),
    note: 'Start the Collector with --feature-gates=service.profilesSupport.',
    checked: 'Run by a test where a Collector is present.',
  },
  {
    value: 'pyroscope',
    title: 'Pyroscope clients',
    text: ({ main, needsToken }) =>
      [`PYROSCOPE_SERVER_ADDRESS=${main}`, ...(needsToken ? ['PYROSCOPE_AUTH_TOKEN=$HEARTH_TOKEN'] : [])].join('\n'),
    note: "Hearth accepts what Pyroscope's SDKs and Alloy push.",
    checked: 'Run by a test with `@pyroscope/nodejs`.',
  },
]

/** The page docs/quick-starts.md: every snippet with these addresses. */
export function quickStartsPage(at: Receivers): string {
  const sections = SNIPPETS.map(({ value, title, text, note, checked, hasPicture = false }) => {
    const picture = hasPicture ? `\n![${title}: the flame graph in the UI](images/quick-start-${value}.png)\n` : ''
    return `## ${title}\n\n${note}\n\n\`\`\`\n${text(at)}\n\`\`\`\n\n*${checked}*\n${picture}`
  })
  return `# Quick starts

Ways to send data to a server on this machine. **Services → Add data** shows the same with the addresses of your server. A server with tokens needs one with the scope \`write\`. This page
is generated. Below each way stands how it was tried.

${sections.join('\n')}`
}

// Commands and settings that send data to this server, for copying.
import type { Receivers } from './receivers.ts'

export interface Snippet {
  readonly value: string
  readonly title: string
  readonly text: (at: Receivers) => string
  readonly note: string
}

/** The setting of OpenTelemetry's SDKs for a token. The space must be encoded. */
const HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20$HEARTH_TOKEN'

export const SNIPPETS: readonly [Snippet, ...Snippet[]] = [
  {
    value: 'file',
    title: 'File',
    text: ({ otlpHttp, needsToken }) =>
      `${needsToken ? 'HEARTH_TOKEN=… ' : ''}npx hearth push cpu.pb.gz --service checkout --to ${otlpHttp}`,
    note: 'pprof, JFR, perf, V8, folded stacks, speedscope, Firefox, OTLP and more. Hearth detects the format.',
  },
  {
    value: 'node',
    title: 'Node.js',
    text: at => lines('OTEL_SERVICE_NAME=checkout', ...environment(at), 'node --import @hearth/agent/register app.js'),
    note: 'The agent records CPU, wall time and heap and sends them every 10 s.',
  },
  {
    value: 'sdk',
    title: 'OpenTelemetry SDK',
    text: at => environment(at).join('\n'),
    note: 'For traces, logs and metrics of any language. The same process can be profiled too: its samples then carry trace and span IDs.',
  },
  {
    value: 'collector',
    title: 'OpenTelemetry Collector',
    text: ({ otlpGrpc, grpcTls, needsToken }) =>
      [
        'exporters:',
        '  otlp_grpc/hearth:',
        `    endpoint: ${otlpGrpc}`,
        ...(grpcTls ? [] : ['    tls: { insecure: true }']),
        ...(needsToken ? ['    headers: { authorization: "Bearer ${env:HEARTH_TOKEN}" }'] : []),
        'service:',
        '  pipelines:',
        '    profiles:',
        '      receivers: [otlp]',
        '      exporters: [otlp_grpc/hearth]',
      ].join('\n'),
    note: 'Start the Collector with --feature-gates=service.profilesSupport.',
  },
  {
    value: 'pyroscope',
    title: 'Pyroscope clients',
    text: ({ main, needsToken }) =>
      [`PYROSCOPE_SERVER_ADDRESS=${main}`, ...(needsToken ? ['PYROSCOPE_AUTH_TOKEN=$HEARTH_TOKEN'] : [])].join('\n'),
    note: "Hearth accepts what Pyroscope's SDKs and Alloy push.",
  },
]

/** Says how to get the token that the snippets name. */
export const TOKEN_HINT =
  'This server requires a token. `hearth admin token create --name sender --scope write` creates one; set HEARTH_TOKEN to it.'

/** The environment variables of OpenTelemetry's SDKs. */
export function environment({ otlpHttp, needsToken }: Receivers): string[] {
  return [`OTEL_EXPORTER_OTLP_ENDPOINT=${otlpHttp}`, ...(needsToken ? [HEADERS] : [])]
}

function lines(...parts: readonly string[]): string {
  return parts.join(' \\\n')
}

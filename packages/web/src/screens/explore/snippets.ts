// Commands and settings that send profiles to this server, for copying.
export interface Snippet {
  readonly value: string
  readonly title: string
  readonly text: (host: string) => string
  readonly note: string
}

export const SNIPPETS: readonly [Snippet, ...Snippet[]] = [
  {
    value: 'file',
    title: 'File',
    text: host => `npx hearth push cpu.pb.gz --service checkout --to http://${host}:4318`,
    note: 'pprof, JFR, perf, V8, folded stacks, speedscope, Firefox, OTLP and more. Hearth detects the format.',
  },
  {
    value: 'node',
    title: 'Node.js',
    text: host =>
      `OTEL_SERVICE_NAME=checkout \\\nOTEL_EXPORTER_OTLP_ENDPOINT=http://${host}:4318 \\\nnode --import @hearth/agent/register app.js`,
    note: 'The agent records CPU, wall time and heap and sends them every 10 s.',
  },
  {
    value: 'collector',
    title: 'OpenTelemetry Collector',
    text: host =>
      `exporters:\n  otlp_grpc/hearth:\n    endpoint: ${host}:4317\n    tls: { insecure: true }\nservice:\n  pipelines:\n    profiles:\n      receivers: [otlp]\n      exporters: [otlp_grpc/hearth]`,
    note: 'Start the Collector with --feature-gates=service.profilesSupport.',
  },
  {
    value: 'pyroscope',
    title: 'Pyroscope clients',
    text: host => `PYROSCOPE_SERVER_ADDRESS=http://${host}:4040`,
    note: "Hearth accepts what Pyroscope's SDKs and Alloy push.",
  },
]

// One way to send data, and the parts that several share.
import type { Receivers } from './receivers.ts'

export interface Snippet {
  readonly value: string
  readonly title: string
  readonly text: (at: Receivers) => string
  readonly note: string
  /** How the commands were tried, for the documentation. */
  readonly checked: string
  /** Whether `npm run quick-starts` takes a picture of the result. */
  readonly hasPicture?: boolean
}

/** The places of a token in snippets: an environment variable of a shell, a Collector or a program, and what a user replaces. */
const IN_SHELL = /\$\{env:HEARTH_TOKEN\}|\$HEARTH_TOKEN|(?<=HEARTH_TOKEN=)…|(?<=data-token=")HEARTH_TOKEN/g
const IN_PROGRAM = /os\.environ\["HEARTH_TOKEN"\]|os\.Getenv\("HEARTH_TOKEN"\)/g

/** The snippet with the token itself instead of its name. */
export function withToken(text: string, token: string): string {
  return text.replaceAll(IN_SHELL, token).replaceAll(IN_PROGRAM, JSON.stringify(token))
}

/** The setting of OpenTelemetry's SDKs for a token. The space must be encoded. */
const HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20$HEARTH_TOKEN'

/** The environment variables of OpenTelemetry's SDKs. */
export function environment({ otlpHttp, needsToken }: Receivers): string[] {
  return [`OTEL_EXPORTER_OTLP_ENDPOINT=${otlpHttp}`, ...(needsToken ? [HEADERS] : [])]
}

export function lines(...parts: readonly string[]): string {
  return parts.join(' \\\n')
}

/** The command that sends a file. */
export function push(file: string, { otlpHttp, needsToken }: Receivers): string {
  return `${needsToken ? 'HEARTH_TOKEN=… ' : ''}npx hearth push ${file} --service checkout --to ${otlpHttp}`
}

/** The exporter of a Collector, as lines of its configuration. */
export function collectorExporter({ otlpGrpc, grpcTls, needsToken }: Receivers): string[] {
  return [
    'exporters:',
    '  otlp_grpc/hearth:',
    `    endpoint: ${otlpGrpc}`,
    ...(grpcTls ? [] : ['    tls: { insecure: true }']),
    ...(needsToken ? ['    headers: { authorization: "Bearer ${env:HEARTH_TOKEN}" }'] : []),
  ]
}

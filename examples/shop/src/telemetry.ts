// Traces, logs and metrics of a service with OpenTelemetry's SDK, sent as the environment says: OTEL_SERVICE_NAME,
// OTEL_EXPORTER_OTLP_ENDPOINT. Profiles come from @hearth/agent, which start.ts loads with --import.
import type { Meter, Tracer } from '@opentelemetry/api'
import { metrics, trace } from '@opentelemetry/api'
import type { Logger } from '@opentelemetry/api-logs'
import { logs } from '@opentelemetry/api-logs'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

export interface Telemetry {
  readonly tracer: Tracer
  readonly logger: Logger
  readonly meter: Meter
  /** Sends the rest. */
  shutdown(): Promise<void>
}

const EXPORT_EVERY_MS = 2000

export function startTelemetry(serviceName: string): Telemetry {
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.namespace': 'shop',
    'service.version': process.env['SHOP_VERSION'] ?? '1.4.2',
    'deployment.environment.name': 'example',
  })
  const tracers = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: EXPORT_EVERY_MS })],
  })
  // Also sets up the context that follows a request across await. Profiles find its spans there.
  tracers.register()
  const loggers = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(), scheduledDelayMillis: EXPORT_EVERY_MS }),
    ],
  })
  logs.setGlobalLoggerProvider(loggers)
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(),
        exportIntervalMillis: 5 * EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_EVERY_MS,
      }),
    ],
  })
  metrics.setGlobalMeterProvider(meters)
  return {
    tracer: trace.getTracer('shop'),
    logger: logs.getLogger('shop'),
    meter: metrics.getMeter('shop'),
    shutdown: async () => {
      await Promise.allSettled([tracers.shutdown(), loggers.shutdown(), meters.shutdown()])
    },
  }
}

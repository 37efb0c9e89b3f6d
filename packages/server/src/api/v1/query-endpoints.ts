// The endpoints that run in query threads, which load this list.
import { redactionDryRun } from './access/redaction-dry-run.ts'
import type { QueryEndpoint } from './endpoint.ts'
import { attributeValues } from './profiles/attribute-values.ts'
import { attributes } from './profiles/attributes.ts'
import { changes } from './profiles/changes.ts'
import { diff } from './profiles/diff.ts'
import { events } from './profiles/events.ts'
import { exportEndpoint } from './profiles/export.ts'
import { flameGraph } from './profiles/flame-graph.ts'
import { heatMap } from './profiles/heat-map.ts'
import { overview } from './profiles/overview.ts'
import { profileTypes } from './profiles/profile-types.ts'
import { profile } from './profiles/profile.ts'
import { profiles } from './profiles/profiles.ts'
import { sandwich } from './profiles/sandwich.ts'
import { series } from './profiles/series.ts'
import { services } from './profiles/services.ts'
import { top } from './profiles/top.ts'
import { compareTraces } from './signals/compare-traces.ts'
import { dataRange } from './signals/data-range.ts'
import { interference } from './signals/interference.ts'
import { ledger } from './signals/ledger.ts'
import { logCounts } from './signals/log-counts.ts'
import { logMarks } from './signals/log-marks.ts'
import { logs } from './signals/logs.ts'
import { metricSeries } from './signals/metric-series.ts'
import { metrics } from './signals/metrics.ts'
import { operations } from './signals/operations.ts'
import { signalAttributeValues } from './signals/signal-attribute-values.ts'
import { signalAttributes } from './signals/signal-attributes.ts'
import { spans } from './signals/spans.ts'
import { traceDensity } from './signals/trace-density.ts'
import { traceLedger } from './signals/trace-ledger.ts'
import { trace } from './signals/trace.ts'
import { traces } from './signals/traces.ts'
import { binaries } from './symbols/binaries.ts'
import { disassembly } from './symbols/disassembly.ts'

/** In the order of docs/api.md. */
export const queryEndpoints: readonly QueryEndpoint[] = [
  flameGraph,
  top,
  sandwich,
  diff,
  changes,
  series,
  profileTypes,
  services,
  overview,
  dataRange,
  attributes,
  attributeValues,
  profiles,
  profile,
  exportEndpoint,
  events,
  heatMap,
  binaries,
  disassembly,
  traces,
  trace,
  traceDensity,
  traceLedger,
  spans,
  operations,
  compareTraces,
  ledger,
  interference,
  logs,
  logCounts,
  logMarks,
  signalAttributes,
  signalAttributeValues,
  metrics,
  metricSeries,
  redactionDryRun,
]

// The small inputs of each format, for tests that run over all of them.
import type { Format } from '../format.ts'
import { fixtures as folded } from '../folded/testing/fixtures.ts'
import { fixtures as otlp } from '../otlp/testing/fixtures.ts'
import { fixtures as otlpJson } from '../otlp-json/testing/fixtures.ts'
import { fixtures as pprof } from '../pprof/testing/fixtures.ts'
import { fixtures as jfr } from '../jfr/testing/fixtures.ts'
import { fixtures as events } from '../events/testing/fixtures.ts'
import { fixtures as arraysDraft } from '../arrays-draft/testing/fixtures.ts'
import { fixtures as otep239 } from '../otep239/testing/fixtures.ts'
import { fixtures as eventsText } from '../events-text/testing/fixtures.ts'
import { fixtures as pprofLegacy } from '../pprof-legacy/testing/fixtures.ts'
import { fixtures as goTrace } from '../go-trace/testing/fixtures.ts'
import { fixtures as cpuprofile } from '../cpuprofile/testing/fixtures.ts'
import { fixtures as heapprofile } from '../heapprofile/testing/fixtures.ts'
import { fixtures as chromeTrace } from '../chrome-trace/testing/fixtures.ts'
import { fixtures as speedscope } from '../speedscope/testing/fixtures.ts'
import { fixtures as firefox } from '../firefox/testing/fixtures.ts'
import { fixtures as perfData } from '../perf-data/testing/fixtures.ts'
import { fixtures as perfScript } from '../perf-script/testing/fixtures.ts'

export interface Fixture {
  readonly name: string
  readonly bytes: Uint8Array
}

const byFormat: Readonly<Record<string, readonly Fixture[]>> = {
  otlp,
  'otlp-json': otlpJson,
  pprof,
  folded,
  jfr,
  events,
  'arrays-draft': arraysDraft,
  otep239,
  'events-text': eventsText,
  'pprof-legacy': pprofLegacy,
  'go-trace': goTrace,
  cpuprofile,
  heapprofile,
  'chrome-trace': chromeTrace,
  speedscope,
  firefox,
  'perf-data': perfData,
  'perf-script': perfScript,
}

export function fixturesOf(format: Format): readonly Fixture[] {
  const fixtures = byFormat[format.name]
  if (fixtures === undefined || fixtures.length === 0) throw new Error(`format ${format.name} has no fixtures`)
  return fixtures
}

// All formats, in the order in which detection tries them. This is the only list of formats: to add one, add a folder and
// one line here.
import { arraysDraft } from './arrays-draft/index.ts'
import { callgrind } from './callgrind/index.ts'
import { chromeTrace } from './chrome-trace/index.ts'
import { cpuprofile } from './cpuprofile/index.ts'
import { dot } from './dot/index.ts'
import { eventsText } from './events-text/index.ts'
import { events } from './events/index.ts'
import { firefox } from './firefox/index.ts'
import { flamegraphHtml } from './flamegraph-html/index.ts'
import { flamegraphSvg } from './flamegraph-svg/index.ts'
import { folded } from './folded/index.ts'
import type { Format } from './format.ts'
import { goTrace } from './go-trace/index.ts'
import { heapprofile } from './heapprofile/index.ts'
import { jfr } from './jfr/index.ts'
import { llvmSample } from './llvm-sample/index.ts'
import { otep239 } from './otep239/index.ts'
import { otlpJson } from './otlp-json/index.ts'
import { otlp } from './otlp/index.ts'
import { perfData } from './perf-data/index.ts'
import { perfScript } from './perf-script/index.ts'
import { pprofLegacy } from './pprof-legacy/index.ts'
import { pprof } from './pprof/index.ts'
import { speedscope } from './speedscope/index.ts'

export const formats: readonly Format[] = [
  events,
  arraysDraft,
  otep239,
  otlp,
  otlpJson,
  pprof,
  jfr,
  perfData,
  goTrace,
  chromeTrace,
  cpuprofile,
  heapprofile,
  speedscope,
  firefox,
  pprofLegacy,
  eventsText,
  perfScript,
  folded,
  flamegraphHtml,
  flamegraphSvg,
  dot,
  callgrind,
  llvmSample,
]

export function formatNamed(name: string): Format | undefined {
  return formats.find(format => format.name === name)
}

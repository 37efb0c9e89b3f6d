// Ways to profile native programs and whole hosts.
import type { Snippet } from './snippet.ts'
import { collectorExporter, push } from './snippet.ts'

export const NATIVE_SNIPPETS: readonly Snippet[] = [
  {
    value: 'rust',
    title: 'Rust',
    text: at =>
      [
        '// cargo add pprof --features protobuf-codec',
        'let guard = pprof::ProfilerGuard::new(100)?;',
        '// … the work …',
        'let mut file = std::fs::File::create("cpu.pb")?;',
        'pprof::protos::Message::write_to_writer(&guard.report().build()?.pprof()?, &mut file)?;',
        `// ${push('cpu.pb', at)}`,
      ].join('\n'),
    note: 'Build with debug = 1 in the profile, so that functions have lines.',
    checked: 'Run with Rust 1.95 and pprof 0.15, in November 2026.',
    hasPicture: true,
  },
  {
    value: 'native',
    title: 'C and C++',
    text: at =>
      [
        'perf record -g -F 99 -k CLOCK_MONOTONIC -o perf.data -- ./app',
        push('perf.data', at),
        '# or with gperftools',
        'CPUPROFILE=cpu.prof LD_PRELOAD=libprofiler.so ./app',
        'pprof -proto ./app cpu.prof > cpu.pb.gz',
        push('cpu.pb.gz', at),
      ].join('\n'),
    note: '`hearth symbols upload ./app` gives the names of functions if the file has none.',
    checked: 'Both were run, with perf 6.1 and gperftools 2.10, in November 2026.',
    hasPicture: true,
  },
  {
    value: 'host',
    title: 'Whole hosts (eBPF)',
    text: at =>
      [
        'receivers:',
        '  profiling: { samples_per_second: 20 }',
        ...collectorExporter(at),
        'service:',
        '  pipelines:',
        '    profiles: { receivers: [profiling], exporters: [otlp_grpc/hearth] }',
      ].join('\n'),
    note: "Every process of a Linux host. Start OpenTelemetry's eBPF profiler, a Collector with this receiver, as root with --feature-gates=service.profilesSupport.",
    checked: 'Not run here: it needs a kernel with BPF. Tests read what it sent elsewhere.',
  },
]

// Ways to profile programs of languages with a runtime.
import type { Snippet } from './snippet.ts'
import { lines, push } from './snippet.ts'

export const RUNTIME_SNIPPETS: readonly Snippet[] = [
  {
    value: 'go',
    title: 'Go',
    text: ({ main, needsToken }) =>
      [
        '// go get github.com/grafana/pyroscope-go',
        'profiler, err := pyroscope.Start(pyroscope.Config{',
        '\tApplicationName: "checkout",',
        `\tServerAddress:   "${main}",`,
        ...(needsToken
          ? ['\tHTTPHeaders: map[string]string{"Authorization": "Bearer " + os.Getenv("HEARTH_TOKEN")},']
          : []),
        '})',
      ].join('\n'),
    note: 'Or let Hearth scrape the endpoints of net/http/pprof, without a change of the program: see Scraping in the documentation.',
    checked:
      'Run with Go 1.26 and pyroscope-go 1.4, in November 2026. So was scraping, with all endpoints of net/http/pprof, fgprof and godeltaprof.',
    hasPicture: true,
  },
  {
    value: 'java',
    title: 'Java',
    text: ({ main, needsToken, ...at }) =>
      [
        '# continuously',
        lines(
          `PYROSCOPE_SERVER_ADDRESS=${main}`,
          'PYROSCOPE_APPLICATION_NAME=checkout',
          'PYROSCOPE_FORMAT=jfr',
          ...(needsToken ? ['PYROSCOPE_AUTH_TOKEN=$HEARTH_TOKEN'] : []),
          'java -javaagent:pyroscope.jar -jar app.jar',
        ),
        '# or a recording of the JDK or of async-profiler',
        'java -XX:StartFlightRecording=filename=app.jfr,settings=profile -jar app.jar',
        push('app.jfr', { main, needsToken, ...at }),
      ].join('\n'),
    note: 'pyroscope.jar is the Maven package io.pyroscope:agent. `asprof -d 30 -f app.jfr PID` writes a recording too.',
    checked: "Both were run with JDK 17 and Pyroscope's agent 2.9, in November 2026.",
    hasPicture: true,
  },
  {
    value: 'python',
    title: 'Python',
    text: ({ main, needsToken, ...at }) =>
      [
        '# pip install pyroscope-io',
        ...(needsToken ? ['import os'] : []),
        'import pyroscope',
        `pyroscope.configure(application_name="checkout", server_address="${main}"${
          needsToken ? ', auth_token=os.environ["HEARTH_TOKEN"]' : ''
        })`,
        '# or without a change of the program: pip install py-spy',
        'py-spy record --format raw --output checkout.folded --duration 30 --pid PID',
        push('checkout.folded', { main, needsToken, ...at }),
      ].join('\n'),
    note: 'py-spy needs the permission to trace other processes.',
    checked: 'Both were run with Python 3.11, pyroscope-io 1.4 and py-spy 0.4, in November 2026.',
    hasPicture: true,
  },
  {
    value: 'ruby',
    title: 'Ruby',
    text: at =>
      [
        '# gem install stackprof. At the beginning of the program:',
        "require 'stackprof'",
        'StackProf.start(mode: :cpu, raw: true)',
        "at_exit { StackProf.stop; StackProf.results('checkout.dump') }",
        '# when the program has ended',
        'stackprof --stackcollapse checkout.dump > checkout.folded',
        push('checkout.folded', at),
        '# or without a change of the program',
        'rbspy record --format collapsed --file checkout.folded --duration 30 --pid PID',
        push('checkout.folded', at),
        '# or with the gem vernier, which writes the format of the Firefox Profiler',
        'vernier run --output checkout.json -- ruby app.rb',
        push('checkout.json', at),
      ].join('\n'),
    note: 'rbspy needs the permission to trace other processes.',
    checked:
      'stackprof 0.2 was run with Ruby 3.1, in November 2026. rbspy and vernier were not run: they were not present where this page was checked.',
    hasPicture: true,
  },
  {
    value: 'dotnet',
    title: '.NET',
    text: at =>
      [
        'DOTNET_PerfMapEnabled=1 dotnet app.dll',
        'perf record -g -F 99 -k CLOCK_MONOTONIC -o perf.data -p PID -- sleep 30',
        'npx hearth convert perf.data --symbols /tmp/perf-PID.map -o checkout.otlp',
        push('checkout.otlp', at),
        '# or on any system: dotnet tool install --global dotnet-trace',
        'dotnet-trace collect --process-id PID --duration 00:00:00:30 --format Speedscope --output checkout.nettrace',
        push('checkout.speedscope.json', at),
      ].join('\n'),
    note: "perf needs Linux. The variable is COMPlus_PerfMapEnabled before .NET 6. dotnet-trace writes checkout.speedscope.json beside the trace. Pyroscope's profiler for .NET sends continuously: set PYROSCOPE_SERVER_ADDRESS.",
    checked:
      'perf 6.1 was run with .NET Core 3.1, in November 2026. dotnet-trace was not available, and its command was compared with its documentation.',
    hasPicture: true,
  },
  {
    value: 'php',
    title: 'PHP',
    text: at =>
      [
        '// apt install php-excimer, or pecl install excimer. At the beginning of the program:',
        '$profiler = new ExcimerProfiler();',
        '$profiler->setEventType(EXCIMER_CPU);',
        '$profiler->setPeriod(0.01);',
        '$profiler->start();',
        'register_shutdown_function(function () use ($profiler) {',
        '    $profiler->stop();',
        "    file_put_contents('checkout.folded', $profiler->getLog()->formatCollapsed());",
        '});',
        push('checkout.folded', at),
      ].join('\n'),
    note: "OpenTelemetry's eBPF profiler names PHP functions too, of all processes of a host.",
    checked: 'Run with PHP 8.2 and Excimer 1.0, in November 2026.',
    hasPicture: true,
  },
  {
    value: 'browser',
    title: 'Browser',
    text: ({ main, otlpHttp, needsToken }) =>
      [
        `<script crossorigin src="${main}/browser-profiler.js"`,
        `  data-to="${otlpHttp}" data-service="shop-web"${needsToken ? ' data-token="HEARTH_TOKEN"' : ''}></script>`,
        '# the page needs this response header',
        'Document-Policy: js-profiling',
      ].join('\n'),
    note: "2 kB, for Chromium's JS Self-Profiling API. List the site in the setting cors-origins. A token in a page is public: use one with the scope write alone (data-token).",
    checked: 'Run with Chromium, in November 2026. The conversion is also run by a test, with a simulated API.',
    hasPicture: true,
  },
]

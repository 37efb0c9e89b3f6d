// `hearth bench -- COMMAND`: runs a command several times, and writes one profile per run for `hearth gate`.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { ProfilesMerger, writeProfile } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { readInput } from '../../files/input.ts'
import { examples, wholeNumber } from '../../options.ts'
import { compressedFor, printLines, writeOutput, writing } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { record, running } from './record.ts'

interface BenchOptions {
  readonly runs: number
  readonly output: string
  readonly rate: number
  readonly warmUp: number
  readonly perf?: boolean
}

/** More samples per run than usual, because a run is short. */
const DEFAULT_RATE = 500

export function addBench(program: Command, context: Context, setStatus: (status: number) => void): void {
  program
    .command('bench')
    .summary('profile several runs of a command for `hearth gate`')
    .description(
      'Runs a command several times and writes one CPU profile per run. Two directories of runs can be compared with ' +
        '`hearth gate`. Node.js programs run with the agent. With --perf, any program runs under perf of Linux.\n\n' +
        'Exit status: that of the first run that fails. Then no further run starts.',
    )
    .argument('<command...>', 'the command to run, after --')
    .option('-n, --runs <count>', 'number of recorded runs', wholeNumber, 5)
    .option('--warm-up <count>', 'runs before them that are not recorded', zeroOrMore, 1)
    .option(
      '-o, --output <dir>',
      'directory for run-1.otlp, run-2.otlp, …; earlier runs in it are replaced',
      'bench-runs',
    )
    .option('--rate <hz>', 'samples per second, up to 1000', wholeNumber, DEFAULT_RATE)
    .option('--perf', 'record with perf instead of the agent')
    .addHelpText(
      'after',
      examples(
        ['hearth bench -o base -- node benchmark.js', 'five runs of a Node.js program'],
        ['hearth bench --perf -n 10 -o new -- ./benchmark', 'ten runs of any program on Linux'],
        ['hearth gate --absolute --base base/*.otlp --new new/*.otlp', 'compares them'],
      ),
    )
    .action(async (words: readonly string[], options: BenchOptions) => {
      setStatus(await bench(words, options, context))
    })
}

function zeroOrMore(text: string): number {
  return text === '0' ? 0 : wholeNumber(text)
}

const RUN_FILE = /^run-\d+\.otlp$/

async function bench(words: readonly string[], options: BenchOptions, context: Context): Promise<number> {
  const { runs, output, rate, warmUp, perf = false } = options
  if (rate > 1000) throw new CliError(2, '--rate must be from 1 to 1000', 'Use --rate 1000.')
  mkdirSync(output, { recursive: true })
  for (const file of readdirSync(output)) if (RUN_FILE.test(file)) rmSync(join(output, file))
  for (let run = 1 - warmUp; run <= runs; run++) {
    const what = run < 1 ? `warm-up ${run + warmUp} of ${warmUp}` : `run ${run} of ${runs}`
    await printLines(context.stderr, [printable(`hearth: ${what}`)])
    const file = join(output, `run-${run}.otlp`)
    const status =
      run < 1
        ? await running(words, context.env ?? {})
        : perf
          ? await recordWithPerf(words, file, rate, context)
          : await record(words, { output: file, types: ['cpu'], rate }, context)
    if (status !== 0) return status
  }
  return 0
}

async function recordWithPerf(words: readonly string[], file: string, rate: number, context: Context): Promise<number> {
  const data = `${file}.perf.data`
  try {
    const command = ['perf', 'record', '-q', '-F', String(rate), '-g', '-o', data, '--', ...words]
    const status = await running(command, context.env ?? {})
    if (!existsSync(data))
      throw new CliError(1, `${words[0]}: perf recorded nothing`, 'Check that perf may record here.')
    if (status !== 0) return status
    const { profiles } = await readInput(data, {}, context)
    const merger = new ProfilesMerger()
    merger.add(profiles)
    const written = writing(file, () => writeProfile(merger.finish().profiles, 'otlp'))
    await writeOutput(file, compressedFor(file, written.bytes), context.stdout)
    return 0
  } finally {
    rmSync(data, { force: true })
  }
}

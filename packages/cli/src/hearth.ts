// The entry point, started by bin/hearth.cjs.
import { run } from './main.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function onStop(listener: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

const { argv, stdin, stdout, stderr } = process
process.exitCode = await run(argv.slice(2), { stdin, stdout, stderr, onStop })

// What bin/hearth.cjs starts: the process's own command line.
import { run } from './main.ts'

const { argv, stdin, stdout, stderr } = process
process.exitCode = await run(argv.slice(2), { stdin, stdout, stderr })

// Prints the reference of the command line; for tools/cli-reference.ts, which puts it into docs.
import { referencePage } from './reference-page.ts'

process.stdout.write(await referencePage())

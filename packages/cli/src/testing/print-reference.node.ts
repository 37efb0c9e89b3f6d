// Prints the command line reference for tools/cli-reference.ts.
import { referencePage } from './reference-page.ts'

process.stdout.write(await referencePage())

// Finds the file that a worker thread starts with.
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * The entry file beside the module `from` (its import.meta.url). `name` has no extension and ends with `-worker`, by which
 * tools/build-packages.ts finds it and puts it directly into dist. Threads run the same kind of file as the process: the
 * build, or the sources with tsx. Tests load sources without tsx, so that their threads run the build.
 */
export function workerEntry(name: string, from: string): URL {
  if (!from.endsWith('.ts')) return new URL(`${name}.js`, from)
  if (process.execArgv.some(argument => argument.includes('tsx'))) return new URL(`${name}.ts`, from)
  const source = fileURLToPath(from)
  const packageFolder = source.slice(0, source.lastIndexOf(`${sep}src${sep}`))
  return pathToFileURL(`${packageFolder}${sep}dist${sep}${name}.js`)
}

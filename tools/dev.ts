// `npm run dev`: the server and the UI from their sources, both reloaded on change. Arguments go to `hearth serve`.
// The UI is on port 4041 and forwards API requests to the server; open that address while you work on the UI.
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = (name: string): string => join(root, 'node_modules', '.bin', name)

const serverArguments = process.argv.slice(2)
const portFlag = serverArguments.indexOf('--port')
const port = portFlag < 0 ? '4040' : serverArguments[portFlag + 1]

const env: NodeJS.ProcessEnv = {
  ...process.env,
  // As packages/cli/bin/hearth.cjs sets it: the embedded store needs threads besides those for files.
  UV_THREADPOOL_SIZE: process.env['UV_THREADPOOL_SIZE'] ?? '16',
  HEARTH_SERVER: `http://127.0.0.1:${port}`,
}

/** On Node.js 20, tsx does not reach worker threads by itself. They inherit this import. */
const inWorkers = `data:text/javascript,import{register}from'${import.meta.resolve('tsx/esm/api')}';import{isMainThread}from'node:worker_threads';if(!isMainThread)register()`

function start(name: string, command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { cwd: root, env, stdio: 'inherit' })
  child.on('exit', code => {
    if (!stopping) console.error(`${name} ended with status ${code}`)
    stop()
  })
  return child
}

let stopping = false
const children = [
  start('The server', bin('tsx'), [
    'watch',
    '--clear-screen=false',
    '--conditions=hearth-source',
    `--import=${inWorkers}`,
    'packages/cli/src/hearth.ts',
    'serve',
    ...serverArguments,
  ]),
  start('The UI', bin('vite'), ['packages/web']),
]

function stop(): void {
  stopping = true
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM')
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

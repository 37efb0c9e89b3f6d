// Installs the Debian package into a fresh Debian root, as `apt install ./hearth.deb` would, and runs the server there. Needs root,
// mmdebstrap and Debian's packages.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const SUITE = 'bookworm'
const PORTS = { http: 24_040, grpc: 24_317, otlp: 24_318 }
const READY_MS = 60_000

export async function checkDeb(file: string): Promise<void> {
  const debian = mkdtempSync(join(tmpdir(), 'hearth-debian-'))
  const run = (command: string, ...args: readonly string[]): string =>
    execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    run('mmdebstrap', '--variant=apt', '--include=systemd', SUITE, debian)
    copyFileSync(file, join(debian, 'tmp', basename(file)))
    run('chroot', debian, 'apt-get', 'install', '-y', `/tmp/${basename(file)}`)
    console.log(run('chroot', debian, 'hearth', '--version').trim())
    run('chroot', debian, 'systemd-analyze', 'verify', '/lib/systemd/system/hearth.service')
    await checkServer(debian)
    run('chroot', debian, 'apt-get', 'purge', '-y', 'hearth')
    console.log('the package was installed, its server was ready, and it was removed')
  } finally {
    rmSync(debian, { recursive: true, force: true })
  }
}

async function checkServer(debian: string): Promise<void> {
  const { http, grpc, otlp } = PORTS
  const ports = ['--port', String(http), '--otlp-grpc-port', String(grpc), '--otlp-http-port', String(otlp)]
  const config = ['--config', '/etc/hearth/hearth.yaml', '--data', '/var/lib/hearth']
  const server = spawn('chroot', [debian, '/usr/bin/hearth', 'serve', ...config, ...ports], { stdio: 'inherit' })
  try {
    const until = Date.now() + READY_MS
    while (!(await isReady(http))) {
      if (Date.now() > until || server.exitCode !== null) throw new Error('the server in the Debian root is not ready')
      await wait(200)
    }
    const page = await (await fetch(`http://127.0.0.1:${http}/`)).text()
    if (!page.includes('<title>Hearth')) throw new Error('the server in the Debian root does not serve the UI')
  } finally {
    server.kill('SIGTERM')
    await new Promise(resolve => server.once('exit', resolve))
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}

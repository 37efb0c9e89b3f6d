// Installs the Debian package into a fresh Debian root, as `apt install ./hearth.deb` would, and runs the server there: alone, and as the
// service of systemd where systemd-nspawn can start one. Needs root, mmdebstrap and Debian's packages.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
    run('mmdebstrap', '--variant=apt', '--include=systemd,systemd-sysv,dbus,curl', SUITE, debian)
    copyFileSync(file, join(debian, 'tmp', basename(file)))
    run('chroot', debian, 'apt-get', 'install', '-y', `/tmp/${basename(file)}`)
    console.log(run('chroot', debian, 'hearth', '--version').trim())
    run('chroot', debian, 'systemd-analyze', 'verify', '/lib/systemd/system/hearth.service')
    await checkServer(debian)
    checkService(debian)
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

/** Prints a line for each step. The service must run with its restrictions, show demo data, and read a token that root creates. */
const SCRIPT = `#!/bin/bash
token() { curl -s -o /dev/null -w '%{http_code}\\n' -H "authorization: Bearer $(cat /root/token)" http://127.0.0.1:4040/api/v1/services; }
ready() { for i in $(seq 120); do curl -sf -o /dev/null http://127.0.0.1:4040/readyz && return; sleep 1; done; }
demo() { for i in $(seq 60); do curl -s http://127.0.0.1:4040/api/v1/demo | grep -q live && break; sleep 1; done; }
exec > /root/check.log
ready
systemctl is-active hearth
curl -s -o /dev/null -X POST http://127.0.0.1:4040/api/v1/demo
demo
for i in $(seq 30); do curl -s http://127.0.0.1:4040/api/v1/services | grep -o storefront | head -1 | grep . && break; sleep 1; done
hearth admin token create --data /var/lib/hearth --name check --scope read > /root/token
sleep 2
token
dpkg -i /tmp/hearth_*.deb > /root/update.log
ready
token
systemctl disable hearth
dpkg -r hearth > /root/remove.log
systemctl is-active hearth
ls -d /var/lib/private/hearth
journalctl -u hearth --no-pager | tail -20
systemctl poweroff
`
const STEPS = 'active\nstorefront\n200\n200\ninactive\n/var/lib/private/hearth\n'
const UNIT = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/root/check.sh
`
const BOOT_MS = 400_000

/** Starts systemd in the Debian root, which runs the script after its other services. */
function checkService(debian: string): void {
  try {
    execFileSync('systemd-nspawn', ['--version'], { stdio: 'ignore' })
  } catch {
    console.log('systemd-nspawn is missing, so the service was not started by systemd')
    return
  }
  writeFileSync(join(debian, 'root', 'check.sh'), SCRIPT, { mode: 0o755 })
  writeFileSync(join(debian, 'etc/systemd/system/check.service'), UNIT)
  const wanted = join(debian, 'etc/systemd/system/multi-user.target.wants')
  mkdirSync(wanted, { recursive: true })
  symlinkSync('../check.service', join(wanted, 'check.service'))
  // An empty /etc/localtime, which nspawn would mount upon, keeps the embedded store from starting.
  const boot = ['--register=no', '--keep-unit', '--boot', '--private-network', '--timezone=off', '--console=pipe']
  execFileSync('systemd-nspawn', ['-D', debian, ...boot], { stdio: 'ignore', timeout: BOOT_MS })
  const log = readFileSync(join(debian, 'root', 'check.log'), 'utf8')
  if (!log.startsWith(STEPS)) throw new Error(`the service does not run as it should:\n${log}`)
  console.log(
    'systemd started the service, which showed demo data, and an update and the removal of the package kept its data',
  )
}

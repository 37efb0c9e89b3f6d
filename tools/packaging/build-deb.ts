// `npm run package:deb`: builds a Debian package of Hearth, with Node.js, the embedded store and a systemd service, in ./artifacts.
// `-- --check` also installs it into a fresh Debian root (mmdebstrap) and runs the server there.
//
//   /usr/bin/hearth                      starts the command with the Node.js of the package: Debian 12 has Node.js 18, which is too old
//   /usr/lib/hearth/bin/node             Node.js
//   /usr/lib/hearth/node_modules         the command from its tarball, and its optional packages
//   /lib/systemd/system/hearth.service   deploy/systemd/hearth.service
//   /etc/hearth/hearth.yaml              deploy/systemd/hearth.yaml
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDeb } from './check-deb.ts'
import { packAll } from './pack-all.ts'

const root = join(import.meta.dirname, '..', '..')
const out = join(root, 'artifacts')
const stage = mkdtempSync(join(tmpdir(), 'hearth-deb-'))

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

function version(): string {
  const { version: found } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return found
}

function write(path: string, text: string, mode = 0o644): void {
  const file = join(stage, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
}

function installPackages(): void {
  const tarballs = mkdtempSync(join(tmpdir(), 'hearth-tarballs-'))
  const library = join(stage, 'usr', 'lib', 'hearth')
  mkdirSync(join(library, 'bin'), { recursive: true })
  writeFileSync(join(library, 'package.json'), '{ "private": true }\n')
  const files = packAll(tarballs, ['cli'])
  execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', ...files], {
    cwd: library,
    stdio: 'inherit',
  })
  rmSync(tarballs, { recursive: true })
  copyFileSync(process.execPath, join(library, 'bin', 'node'))
}

function control(): string {
  const kibibytes = execFileSync('du', ['-sk', stage], { encoding: 'utf8' }).split('\t')[0]
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined) throw new Error(`no Debian architecture for ${process.arch}`)
  return `Package: hearth
Version: ${version()}
Architecture: ${architecture}
Maintainer: The Hearth authors <hearth@localhost>
Installed-Size: ${kibibytes}
Depends: libc6, libstdc++6
Recommends: systemd
Section: utils
Priority: optional
Description: server for profiles, traces, logs and metrics
 Records, receives, stores, queries, converts and shows profiles in the
 OpenTelemetry Profiles data model. The UI is at http://127.0.0.1:4040.
`
}

/** The first installation starts the service, also at boot. An update restarts it unless the administrator has disabled it. */
const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ] && command -v systemctl > /dev/null; then
  if [ -z "$2" ]; then systemctl enable hearth.service; fi
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if systemctl is-enabled --quiet hearth.service; then systemctl restart hearth.service; fi
  fi
fi
`

const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl stop hearth.service; fi
`

/** The data stays. */
const POSTRM = `#!/bin/sh
set -e
if [ "$1" = purge ]; then rm -f /etc/systemd/system/multi-user.target.wants/hearth.service; fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
`

const COMMAND = `#!/bin/sh
exec /usr/lib/hearth/bin/node /usr/lib/hearth/node_modules/@hearth/cli/bin/hearth.cjs "$@"
`

function build(): string {
  installPackages()
  write('usr/bin/hearth', COMMAND, 0o755)
  mkdirSync(join(stage, 'lib', 'systemd', 'system'), { recursive: true })
  const deploy = join(root, 'deploy', 'systemd')
  cpSync(join(deploy, 'hearth.service'), join(stage, 'lib', 'systemd', 'system', 'hearth.service'))
  write('etc/hearth/hearth.yaml', readFileSync(join(deploy, 'hearth.yaml'), 'utf8'))
  write('usr/share/doc/hearth/copyright', readFileSync(join(root, 'LICENSE'), 'utf8'))
  write('DEBIAN/conffiles', '/etc/hearth/hearth.yaml\n')
  write('DEBIAN/postinst', POSTINST, 0o755)
  write('DEBIAN/prerm', PRERM, 0o755)
  write('DEBIAN/postrm', POSTRM, 0o755)
  write('DEBIAN/control', control())
  chmodSync(stage, 0o755)
  mkdirSync(out, { recursive: true })
  const file = join(out, `hearth_${version()}_${ARCHITECTURES[process.arch]}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', stage, file], { stdio: 'inherit' })
  return file
}

try {
  const file = build()
  console.log(file)
  if (process.argv.includes('--check')) await checkDeb(file)
} finally {
  rmSync(stage, { recursive: true, force: true })
}

// Runs a command with CHROMIUM_PATH and CHROMIUM_FLAGS set, for programs that do not look for Chromium themselves:
// `tsx tools/with-chromium.ts node program.js`.
import { spawnSync } from 'node:child_process'
import { chromiumFlags, findChromium, thisMachine } from './find-chromium.ts'

const [command, ...args] = process.argv.slice(2)
const found = findChromium(thisMachine)
if (found.kind === 'missing') throw new Error(found.why)
const env = { ...process.env, CHROMIUM_PATH: found.path, CHROMIUM_FLAGS: chromiumFlags.join(' ') }
process.exitCode = spawnSync(command, args, { stdio: 'inherit', env }).status ?? 1

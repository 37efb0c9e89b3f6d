// Detects resource attributes by semantic convention: the service, the process, the runtime, the host, the container and the
// agent. Everything is cheap and local: no network access, no commands.
import { randomUUID } from 'node:crypto'
import * as os from 'node:os'
import { basename } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import type { AnyValue, KeyValue } from '@hearth/profile/recording'
import type { Configuration } from '../configuration/options.ts'
import { containerId } from './container-id.ts'
import { defaultServiceName } from './service-name.ts'

const SDK_NAME = 'hearth'

/** Data that all threads of a process share. The main thread leaves it for those that it starts, where `process.argv` names their own file. */
interface ProcessData {
  readonly instanceId: string
  readonly script: string | undefined
}

const PROCESS_KEY = 'hearth.process'

function processData(): ProcessData {
  const known = getEnvironmentData(PROCESS_KEY) as ProcessData | undefined
  if (known !== undefined) return known
  const own = { instanceId: randomUUID(), script: process.argv[1] }
  setEnvironmentData(PROCESS_KEY, own)
  return own
}

/** One instance per process, also if the agent starts again. */
const { instanceId: INSTANCE_ID, script: SCRIPT } = processData()

export function detectResource(
  { serviceName, resourceAttributes }: Pick<Configuration, 'serviceName' | 'resourceAttributes'>,
  version: string,
): readonly KeyValue[] {
  const found = new Map<string, AnyValue>([
    ['service.name', serviceName ?? defaultServiceName(SCRIPT, process.execPath)],
    ['service.instance.id', INSTANCE_ID],
    ['telemetry.sdk.name', SDK_NAME],
    ['telemetry.sdk.language', 'nodejs'],
    ['telemetry.sdk.version', version],
    ['process.pid', BigInt(process.pid)],
    ['process.parent_pid', BigInt(process.ppid)],
    ['process.executable.name', basename(process.execPath)],
    ['process.executable.path', process.execPath],
    ['process.command', SCRIPT],
    ['process.owner', owner()],
    ['process.runtime.name', 'nodejs'],
    ['process.runtime.version', process.versions.node],
    ['process.runtime.description', 'Node.js'],
    ['host.name', os.hostname()],
    ['host.arch', hostArch(process.arch)],
    // No semantic convention. Values per CPU core need it.
    ['host.cpu.count', BigInt(os.availableParallelism())],
    ['os.type', osType(process.platform)],
    ['os.version', os.release()],
    ['container.id', containerId()],
  ])
  for (const [key, value] of resourceAttributes) found.set(key, attributeValue(value))
  return [...found].flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
}

function attributeValue(value: string | number | boolean): AnyValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}

/** Undefined if the user has no entry, as in many containers. */
function owner(): string | undefined {
  try {
    return os.userInfo().username
  } catch {
    return undefined
  }
}

function hostArch(arch: string): string {
  const known: Readonly<Record<string, string>> = {
    x64: 'amd64',
    arm: 'arm32',
    ia32: 'x86',
    ppc64: 'ppc64',
    s390x: 's390x',
  }
  return known[arch] ?? arch
}

function osType(platform: string): string {
  return platform === 'win32' ? 'windows' : platform === 'sunos' ? 'solaris' : platform
}

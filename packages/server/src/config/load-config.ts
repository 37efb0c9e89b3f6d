// Loads the configuration: flags win over environment variables, the file and the defaults, in this order. Every error names
// the flag, the variable, or the line of the file.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { LineCounter, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'
import { isLoopback } from '../access/gatekeeper.ts'
import type { Config, Setting, SettingName } from './settings.ts'
import { SETTING_NAMES, environmentName, settings } from './settings.ts'
import { ValueError } from './setting-values.ts'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export interface ConfigSources {
  /** By setting name. Flags that were not given are undefined. */
  readonly flags: Readonly<Partial<Record<SettingName, string>>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The path of a configuration file. */
  readonly file?: string | undefined
}

interface Given {
  readonly text: string
  readonly where: string
}

export function loadConfig({ flags, env, file }: ConfigSources): Config {
  const inFile = file === undefined ? new Map<SettingName, Given>() : readConfigFile(file)
  const config: Record<string, unknown> = {}
  for (const name of SETTING_NAMES) {
    const given = givenFor(name, flags, env, inFile)
    config[name] = given === undefined ? undefined : valueOf(name, given)
  }
  return checked(config as Config)
}

function givenFor(
  name: SettingName,
  flags: ConfigSources['flags'],
  env: ConfigSources['env'],
  inFile: ReadonlyMap<SettingName, Given>,
): Given | undefined {
  const flag = flags[name]
  if (flag !== undefined) return { text: flag, where: `--${name}` }
  const variable = environmentName(name)
  const text = env[variable]
  if (text !== undefined && text !== '' && !isServiceLink(variable, text)) return { text, where: variable }
  const { byDefault } = settings[name]
  return inFile.get(name) ?? (byDefault === undefined ? undefined : { text: byDefault, where: 'the default' })
}

/** Kubernetes sets HEARTH_PORT to `tcp://10.96.0.12:4040` in every pod of a namespace that has a service named hearth. */
function isServiceLink(variable: string, text: string): boolean {
  return variable.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(text)
}

function valueOf(name: SettingName, { text, where }: Given): unknown {
  try {
    return settings[name].read(text)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw new ConfigError(`${where}: ${error.message}`, { cause: error })
  }
}

/** Checks settings that depend on each other. */
function checked(config: Config): Config {
  if ((config['tls-cert'] === undefined) !== (config['tls-key'] === undefined))
    throw new ConfigError('tls-cert and tls-key require each other')
  if (config['tls-client-ca'] !== undefined && config['tls-cert'] === undefined)
    throw new ConfigError('tls-client-ca requires tls-cert and tls-key')
  if ((config['broker-nats-cert'] === undefined) !== (config['broker-nats-key'] === undefined))
    throw new ConfigError('broker-nats-cert and broker-nats-key require each other')
  if (config['broker-event-size'] > config['max-body'])
    throw new ConfigError('broker-event-size must not exceed max-body')
  const { 'oidc-issuer': issuer, 'oidc-access': rules } = config
  if (issuer !== undefined && rules.length === 0)
    throw new ConfigError('oidc-issuer requires oidc-access, which says who may do what')
  if (issuer === undefined && rules.length > 0) throw new ConfigError('oidc-access requires oidc-issuer')
  if (issuer !== undefined && !isSecureUrl(issuer))
    throw new ConfigError(`oidc-issuer: '${issuer}' must start with https://, except on loopback`)
  // The embedded store treats these characters as patterns and archives, which cannot be disabled.
  const data = resolve(config.data)
  if (config.store === undefined && /[*?{}]|::/.test(data))
    throw new ConfigError(`data: the path ${JSON.stringify(data)} must not contain * ? { } or ::`)
  const ports = [config.port, config['otlp-grpc-port'], config['otlp-http-port']].filter(port => port !== 0)
  if (new Set(ports).size !== ports.length) throw new ConfigError('port, otlp-grpc-port and otlp-http-port must differ')
  return config
}

function isSecureUrl(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))
}

function readConfigFile(file: string): Map<SettingName, Given> {
  const lines = new LineCounter()
  const document = parseDocument(readFileText(file), { lineCounter: lines })
  const at = (offset: number): string => `${file} line ${lines.linePos(offset).line}`
  for (const error of document.errors) throw new ConfigError(`${at(error.pos[0])}: ${error.message.split('\n')[0]}`)
  const given = new Map<SettingName, Given>()
  if (document.contents === null) return given
  if (!isMap(document.contents))
    throw new ConfigError(`${file} line 1: expected a mapping of settings, e.g. 'port: 4040'`)
  for (const { key, value } of document.contents.items) {
    if (!isScalar(key)) throw new ConfigError(`${file}: a setting name must be plain text`)
    const where = at(key.range?.[0] ?? 0)
    const name = SETTING_NAMES.find(known => known === String(key.value))
    if (name === undefined)
      throw new ConfigError(`${where}: unknown setting '${String(key.value)}'${suggestion(String(key.value))}`)
    const text = isStructured(name) && isNode(value) ? JSON.stringify(value.toJS(document)) : settingText(value, where)
    given.set(name, { text, where })
  }
  return given
}

function isStructured(name: SettingName): boolean {
  const setting: Setting<unknown> = settings[name]
  return setting.isStructured === true
}

/**
 * The text form of a YAML value. A list becomes comma-separated text. A mapping such as retention becomes `key=value` words,
 * and a nested mapping such as tenant-limits becomes `key:value` parts.
 */
function settingText(node: unknown, where: string, isNested = false): string {
  if (isScalar(node)) {
    if (node.value === null || node.value === undefined) throw new ConfigError(`${where}: the value is missing`)
    // As written: 010 stays 010, and a long number is not rounded.
    return node.source ?? JSON.stringify(node.value)
  }
  if (isSeq(node)) return node.items.map(item => settingText(item, where)).join(',')
  if (isMap(node)) {
    const [assign, separator] = isNested ? [':', ','] : ['=', ' ']
    return node.items
      .map(({ key, value }) => `${settingText(key, where)}${assign}${settingText(value, where, true)}`)
      .join(separator)
  }
  throw new ConfigError(`${where}: the value is missing`)
}

function readFileText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'no such file' : String(error)
    throw new ConfigError(`${file}: ${why}`, { cause: error })
  }
}

function suggestion(wrong: string): string {
  const like = SETTING_NAMES.find(name => name.replaceAll('-', '') === wrong.replaceAll(/[-_]/g, '').toLowerCase())
  return like === undefined ? '' : `; did you mean '${like}'?`
}

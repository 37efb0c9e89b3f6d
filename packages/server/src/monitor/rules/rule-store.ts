// The rules and receivers of each tenant: from the YAML file of the server, which is read again when it changes, and from the API.
import { readFileSync, statSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import type { StateFiles } from '../../broker/state-file.ts'
import { changeAgain } from '../../broker/state-file.ts'
import type { AlertRule, AlertReceiver } from '../alerts/alert-rule.ts'
import { alertRule, receiver } from '../alerts/alert-rule.ts'
import type { RecordingRule } from './recording-rule.ts'
import { recordingRule } from './recording-rule.ts'

const named = {
  recording: z.array(recordingRule).optional(),
  alerts: z.array(alertRule).optional(),
  receivers: z.array(receiver).optional(),
}

/** The YAML file. Rules without a tenant belong to the default tenant. */
const ruleFile = z.strictObject({
  ...named,
  tenants: z.record(z.string(), z.strictObject(named)).optional(),
})

export const storedRules = z.strictObject({
  recording: z.array(recordingRule),
  alerts: z.array(alertRule),
  receivers: z.array(receiver),
})
export type StoredRules = z.infer<typeof storedRules>
export type RuleKind = keyof StoredRules

interface Kinds {
  readonly recording: RecordingRule
  readonly alerts: AlertRule
  readonly receivers: AlertReceiver
}

/** A rule, and where it comes from. Rules of the file cannot be changed over the API. */
export type SourcedRule<Kind extends RuleKind> = Kinds[Kind] & { readonly source: 'file' | 'api' }

export class RuleError extends Error {
  override readonly name = 'RuleError'
}

const NONE: StoredRules = { recording: [], alerts: [], receivers: [] }
const MAX_RULES = 500

export interface RuleStoreOptions {
  readonly files: StateFiles<StoredRules>
  readonly file: string | undefined
  readonly defaultTenant: string
  readonly onError: (error: unknown) => void
}

export class RuleStore {
  readonly #options: RuleStoreOptions
  readonly #stored = new Map<string, StoredRules>()
  #fromFile: ReadonlyMap<string, StoredRules> = new Map()
  #changed = 0

  /** Throws RuleError if the file is invalid. */
  constructor(options: RuleStoreOptions) {
    this.#options = options
    options.files.onChange(tenant => this.#stored.delete(tenant))
    if (options.file !== undefined) this.#fromFile = this.#read(options.file)
  }

  /** Tenants with rules. */
  tenants(): string[] {
    return [...new Set([...this.#fromFile.keys(), ...this.#options.files.tenants()])]
  }

  /** Reads the file again if it changed. An invalid file keeps the rules that were read before. */
  refresh(): void {
    const { file, onError } = this.#options
    if (file === undefined) return
    try {
      if (statSync(file).mtimeMs !== this.#changed) this.#fromFile = this.#read(file)
    } catch (error) {
      onError(error)
    }
  }

  /** A rule of the file hides one of the API with its name. */
  list<Kind extends RuleKind>(tenant: string, kind: Kind): SourcedRule<Kind>[] {
    const of = (rules: StoredRules | undefined, source: 'file' | 'api'): SourcedRule<Kind>[] =>
      ((rules?.[kind] ?? []) as Kinds[Kind][]).map(rule => ({ ...rule, source }))
    const ofFile = of(this.#fromFile.get(tenant), 'file')
    const names = new Set(ofFile.map(({ name }) => name))
    return [...ofFile, ...of(this.#of(tenant), 'api').filter(({ name }) => !names.has(name))]
  }

  get<Kind extends RuleKind>(tenant: string, kind: Kind, name: string): SourcedRule<Kind> | undefined {
    return this.list(tenant, kind).find(rule => rule.name === name)
  }

  /** Adds a rule, or replaces the one with its name. Throws RuleError. */
  async put<Kind extends RuleKind>(tenant: string, kind: Kind, rule: Kinds[Kind]): Promise<void> {
    if (this.get(tenant, kind, rule.name)?.source === 'file')
      throw new RuleError(`${rule.name} is defined in the rule file of the server; change it there`)
    await changeAgain(async () => {
      const state = this.#of(tenant)
      const others = (state[kind] as Kinds[Kind][]).filter(({ name }) => name !== rule.name)
      if (others.length >= MAX_RULES) throw new RuleError(`more than ${MAX_RULES} rules; remove some first`)
      await this.#set(tenant, { ...state, [kind]: [...others, rule] })
    })
  }

  /** Returns whether there was one. Throws RuleError. */
  async remove(tenant: string, kind: RuleKind, name: string): Promise<boolean> {
    const known = this.get(tenant, kind, name)
    if (known === undefined) return false
    if (known.source === 'file')
      throw new RuleError(`${name} is defined in the rule file of the server; remove it there`)
    await changeAgain(async () => {
      const state = this.#of(tenant)
      const others = (state[kind] as { readonly name: string }[]).filter(each => each.name !== name)
      await this.#set(tenant, { ...state, [kind]: others })
    })
    return true
  }

  #read(file: string): Map<string, StoredRules> {
    const { defaultTenant } = this.#options
    try {
      this.#changed = statSync(file).mtimeMs
      const { tenants = {}, ...own } = ruleFile.parse(parse(readFileSync(file, 'utf8')) ?? {})
      for (const rules of [own, ...Object.values(tenants)]) checkNames(rules)
      return new Map(
        Object.entries({ ...tenants, [defaultTenant]: { ...tenants[defaultTenant], ...own } }).map(
          ([tenant, rules]) => [
            tenant,
            { recording: rules.recording ?? [], alerts: rules.alerts ?? [], receivers: rules.receivers ?? [] },
          ],
        ),
      )
    } catch (error) {
      const message =
        error instanceof z.ZodError
          ? `${error.issues[0].path.join('.')}: ${error.issues[0].message}`
          : (error as Error).message
      throw new RuleError(`${file}: ${message}`, { cause: error })
    }
  }

  #of(tenant: string): StoredRules {
    const known = this.#stored.get(tenant)
    if (known !== undefined) return known
    const read = this.#options.files.read(tenant) ?? NONE
    this.#stored.set(tenant, read)
    return read
  }

  async #set(tenant: string, rules: StoredRules): Promise<void> {
    this.#stored.set(tenant, rules)
    await this.#options.files.writeSoon(tenant, rules)
  }
}

/** State is kept by name, so that two rules cannot share one. */
function checkNames(rules: Readonly<Record<string, readonly { readonly name: string }[] | undefined>>): void {
  for (const [kind, list = []] of Object.entries(rules)) {
    const names = new Set<string>()
    for (const { name } of list) {
      if (names.has(name)) throw new RuleError(`${kind}: two entries have the name ${name}`)
      names.add(name)
    }
  }
}

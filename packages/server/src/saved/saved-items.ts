// Views and annotations of tenants. Each kind is one state file per tenant in the data directory.
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { StateFile } from '../files/state-file.ts'

/** There are as many items of the kind as a tenant may have. */
export class TooManyItemsError extends Error {
  override readonly name = 'TooManyItemsError'
}

interface Item {
  readonly id: string
}

export interface SavedItemsOptions<Saved extends Item> {
  /** The data directory. */
  readonly directory: string
  /** The beginning of the names of its files, such as `views`. */
  readonly name: string
  readonly schema: z.ZodType<Saved>
  readonly max: number
}

export class SavedItems<Saved extends Item> {
  readonly #options: SavedItemsOptions<Saved>
  readonly #byTenant = new Map<string, readonly Saved[]>()
  /** The last write. Writes are in order, so that no change is lost. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: SavedItemsOptions<Saved>) {
    this.#options = options
  }

  /** In the order in which they were added. */
  list(tenant: string): readonly Saved[] {
    const known = this.#byTenant.get(tenant) ?? this.#file(tenant).read().content ?? []
    this.#byTenant.set(tenant, known)
    return known
  }

  /** Resolves when the item is on disk. Throws TooManyItemsError. */
  async add(tenant: string, item: Omit<Saved, 'id'>): Promise<Saved> {
    const { max, name } = this.#options
    const added = { ...item, id: randomBytes(8).toString('hex') } as Saved
    await this.#change(tenant, items => {
      if (items.length >= max) throw new TooManyItemsError(`the tenant has ${max} ${name} already; delete some`)
      return [...items, added]
    })
    return added
  }

  /** Returns false if there is no such item. */
  async remove(tenant: string, id: string): Promise<boolean> {
    const found = this.list(tenant).some(each => each.id === id)
    if (found) await this.#change(tenant, items => items.filter(each => each.id !== id))
    return found
  }

  async #change(tenant: string, change: (items: readonly Saved[]) => readonly Saved[]): Promise<void> {
    const next = this.#writing
      .catch(() => undefined)
      .then(async () => {
        const items = change(this.list(tenant))
        await mkdir(this.#options.directory, { recursive: true })
        await this.#file(tenant).write(items)
        this.#byTenant.set(tenant, items)
      })
    this.#writing = next
    await next
  }

  #file(tenant: string): StateFile<readonly Saved[]> {
    const { directory, name, schema } = this.#options
    const list = z.array(schema)
    return new StateFile(join(directory, `${name}-${tenant}.json`), { parse: json => list.parse(json), optional: true })
  }
}

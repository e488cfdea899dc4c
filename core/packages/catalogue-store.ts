// The lists of this installation: the one that ships with Playhead, and the newest that was offered later. The higher
// serial number counts, so that an update of Playhead brings its own list, and an old file cannot return.
import { readFile } from 'node:fs/promises'
import type { KnownCatalogue, Logger } from '@playhead/sdk'
import { replaceFile } from '../storage/atomic-file.ts'
import { readCatalogue, refused } from './catalogue.ts'
import type { CatalogueKeys } from './catalogue-keys.ts'

export interface CatalogueFiles {
  /** Ships with Playhead. */
  readonly shippedCatalogue: string
  /** In the data directory. */
  readonly keptCatalogue: string
  readonly catalogueKeys: CatalogueKeys
}

interface CatalogueStoreOptions extends CatalogueFiles {
  readonly nowMs: () => number
  readonly log: Logger
}

export interface CatalogueStore {
  newest(): Promise<KnownCatalogue | null>
  /** @see PluginDirectory.offer */
  offer(file: Uint8Array): Promise<boolean>
}

export function createCatalogueStore(options: CatalogueStoreOptions): CatalogueStore {
  const { shippedCatalogue, keptCatalogue, catalogueKeys, nowMs, log } = options
  let known: Promise<KnownCatalogue | null> | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function read(file: string, from: KnownCatalogue['from']): Promise<KnownCatalogue | null> {
    let bytes: Buffer
    try {
      bytes = await readFile(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        log.warn({ err: error, file }, 'a list of the directory cannot be read')
      return null
    }
    try {
      // It was not of the future when it came. A clock that is behind must not hide it, and let an older one replace it.
      return { from, catalogue: await readCatalogue(bytes, catalogueKeys, Number.POSITIVE_INFINITY) }
    } catch (error) {
      // For example because its key is no longer trusted.
      log.warn({ err: error, file }, 'a list of the directory is not used')
      return null
    }
  }

  async function readBoth(): Promise<KnownCatalogue | null> {
    const [shipped, kept] = [await read(shippedCatalogue, 'shipped'), await read(keptCatalogue, 'fetched')]
    return kept !== null && kept.catalogue.serial > (shipped?.catalogue.serial ?? 0) ? kept : shipped
  }
  const newest = () => (known ??= readBoth())

  async function take(file: Uint8Array): Promise<boolean> {
    const catalogue = await readCatalogue(file, catalogueKeys, nowMs())
    const before = await newest()
    const serial = before?.catalogue.serial ?? 0
    if (catalogue.serial < serial)
      throw refused('older', `its number is ${catalogue.serial}, and number ${serial} is known already`)
    if (catalogue.serial === serial) {
      if (JSON.stringify(catalogue) === JSON.stringify(before?.catalogue)) return false
      throw refused('changed', `it differs from the one with the same number ${serial}`)
    }
    await replaceFile(keptCatalogue, file)
    known = Promise.resolve({ from: 'fetched', catalogue })
    return true
  }

  return {
    newest,
    offer(file) {
      const mine = last.then(() => take(file))
      last = mine.catch(() => {})
      return mine
    },
  }
}

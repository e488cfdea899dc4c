// Plugin versions (code, manifest and settings) that stopped the service. Such a version is not run again until it
// changes or the user requests it.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { replaceFile } from '../../storage/atomic-file.ts'
import type { Stall } from '../run/watchdog.ts'

export interface Quarantine {
  /** Why the plugin must not run; undefined if it may. Drops entries of other versions. */
  reason(plugin: string, version: string): Promise<Stall | undefined>
  /** Quarantines the version that the next load finds. */
  add(stall: Stall): Promise<void>
  forget(plugin: string): Promise<void>
}

type Noted = Record<string, { readonly stall: Stall; readonly version: string | null }>

export function versionOf(sourceHash: string, settings: unknown): string {
  return createHash('sha256')
    .update(`${sourceHash}\n${JSON.stringify(settings) ?? ''}`)
    .digest('hex')
}

export function createQuarantine(file: string): Quarantine {
  const noted = read(file)
  const save = () =>
    Object.keys(noted).length === 0 ? rm(file, { force: true }) : replaceFile(file, JSON.stringify(noted))

  async function forget(plugin: string): Promise<void> {
    if (noted[plugin] === undefined) return
    delete noted[plugin]
    await save()
  }

  return {
    forget,
    async reason(plugin, version) {
      const known = noted[plugin]
      if (known === undefined) return undefined
      if (known.version === null) {
        noted[plugin] = { ...known, version }
        await save()
      } else if (known.version !== version) {
        await forget(plugin)
        return undefined
      }
      return known.stall
    },
    async add(stall) {
      if (stall.plugin === null) return
      noted[stall.plugin] = { stall, version: stall.version ?? null }
      await save()
    },
  }
}

function read(file: string): Noted {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Noted
  } catch {
    // Missing or unreadable: all plugins are tried.
    return {}
  }
}

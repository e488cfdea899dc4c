// Plugins that stopped the service, and in which version: code, manifest and settings. The same version is not run
// again, over any number of starts, until somebody changes it or asks for it.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { replaceFile } from '../../storage/atomic-file.ts'
import type { Stall } from '../run/watchdog.ts'

export interface LeftOut {
  /** Why the plugin is not to be run; undefined: it is to be. Forgets a version that is not there any more. */
  reason(plugin: string, version: string): Promise<Stall | undefined>
  /** The version of the plugin that stopped the service is what is found when it is looked at next. */
  add(stall: Stall): Promise<void>
  forget(plugin: string): Promise<void>
}

type Noted = Record<string, { readonly stall: Stall; readonly version: string | null }>

export function versionOf(sourceHash: string, settings: unknown): string {
  return createHash('sha256')
    .update(`${sourceHash}\n${JSON.stringify(settings) ?? ''}`)
    .digest('hex')
}

export function createLeftOut(file: string): LeftOut {
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
    // Not there, or not to be read: then everything is tried.
    return {}
  }
}

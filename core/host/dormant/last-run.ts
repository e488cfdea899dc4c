// With which core and in which time zone the plugins of a data directory last ran. Their tables match that core, and
// the times that they set for their jobs match that zone.
import { readFile } from 'node:fs/promises'
import { contentOfCore } from '../../installation.ts'
import { replaceFile } from '../../storage/atomic-file.ts'
import type { PluginSnapshot } from './contract.ts'

export interface LastRun {
  /** True if the snapshot would be the same after a run now. */
  allows(plugin: string, snapshot: PluginSnapshot, isShipped: boolean): boolean
  /** Every plugin that had to run has run, except those that failed. */
  note(failed: readonly string[]): Promise<void>
}

interface Note {
  readonly core: string
  readonly timeZone: string
  readonly failed: readonly string[]
}

/** @param isNewData the data directory was empty: no plugin ran, and none has set a time */
export async function readLastRun(file: string, isNewData: boolean): Promise<LastRun> {
  const now: Note = { core: contentOfCore(), timeZone: Temporal.Now.timeZoneId(), failed: [] }
  const noted = await readFile(file, 'utf8').catch(() => null)
  const before = noted === null ? null : asNote(noted)
  const isSameCore = before?.core === now.core
  const isSameZone = before?.timeZone === now.timeZone
  return {
    allows(plugin, { jobs }, isShipped) {
      const ownTimes = jobs.filter(({ timing }) => timing === undefined)
      if (isNewData) return !ownTimes.some(({ isSet }) => isSet === true)
      // Another core may have other tables; the code of the plugin changes them.
      return (
        ((isSameCore && before?.failed?.includes(plugin) === false) || !isShipped) &&
        (isSameZone || ownTimes.length === 0)
      )
    },
    async note(failed) {
      const text = JSON.stringify({ ...now, failed })
      if (noted !== text) await replaceFile(file, text)
    },
  }
}

function asNote(text: string): Partial<Note> | null {
  try {
    return JSON.parse(text) as Partial<Note> | null
  } catch {
    return null
  }
}

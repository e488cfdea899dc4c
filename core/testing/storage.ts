// Temporary storage, and a configuration file in memory. A database without a name is a temporary file, so stored data does not count as the plugin's
// memory.
import { DatabaseSync } from 'node:sqlite'
import type { KeyValueStore, Logger, Tables } from '@playhead/sdk'
import { tablesOf } from '../own-database/tables.ts'
import { type KeyValueDatabase, openKeyValue } from '../storage/key-value.ts'
import type { ConfigFile } from '../config/config-file.ts'

export function openTestTables(): Tables {
  return tablesOf(new DatabaseSync('', { enableForeignKeyConstraints: true }))
}

export function openTestKeyValue(log: Logger): Promise<KeyValueDatabase> {
  return openKeyValue(new DatabaseSync(''), { log })
}

export async function openTestStore(quotaBytes: number): Promise<KeyValueStore> {
  const silent: Logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => silent }
  return (await openTestKeyValue(silent)).namespace('test', { quotaBytes })
}

/** A configuration file in memory. */
export function createMemoryFile(first: string): ConfigFile {
  let text = first
  let lastGood: string | undefined
  let isRead = false
  return {
    async read() {
      if (isRead) return { kind: 'unchanged' }
      isRead = true
      return { kind: 'text', text }
    },
    readAgain: async () => ({ kind: 'text', text }),
    readLastGood: async () => lastGood,
    async write(written) {
      text = written
    },
    async keepLastGood(written) {
      lastGood = written
    },
    setAside: async () => undefined,
    facts: async () => ({ path: 'config.json', exists: true, sizeBytes: text.length, modifiedAtMs: 0 }),
  }
}

// Temporary storage. A database without a name is a temporary file, so stored data does not count as the plugin's
// memory.
import { DatabaseSync } from 'node:sqlite'
import type { KeyValueStore, Logger, Tables } from '@playhead/sdk'
import { tablesOf } from '../own-database/tables.ts'
import { type KeyValueDatabase, openKeyValue } from '../storage/key-value.ts'

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

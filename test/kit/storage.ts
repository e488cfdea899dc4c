// Storage that is gone when it is closed. A database without a name is a temporary file: what a test stores does not
// count as memory that the plugin takes.
import { DatabaseSync } from 'node:sqlite'
import type { KeyValueStore, Logger, Tables } from '@playhead/sdk'
import { tablesOf } from '../../core/own-database/tables.ts'
import { type KeyValueDatabase, openKeyValue } from '../../core/storage/key-value.ts'

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

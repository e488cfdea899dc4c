// Serves a plugin's thread module on its thread, with its databases.
import type { ThreadSetup } from '@playhead/sdk'
import { openTables } from '../own-database/tables.ts'
import { serveWith } from './serve.ts'

export function serve(setup: ThreadSetup<object>): void {
  serveWith(setup, openTables)
}

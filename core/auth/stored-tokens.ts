// API tokens in the data directory of a stopped service.
import { PlayheadError, type Logger } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { openDataDirectory } from '../storage/data-directory.ts'
import { openDatabase } from '../storage/sqlite.ts'
import { createApiTokens, type ApiTokens } from './api-tokens.ts'

/** Fails with PLH_CONFLICT while the service runs, and with PLH_NOT_READY before its first start. */
export async function openStoredTokens(
  dataDirectory: string,
  clock: Clock,
): Promise<{ readonly tokens: ApiTokens; close(): Promise<void> }> {
  const closers = new AsyncDisposableStack()
  try {
    const directory = await openDataDirectory(dataDirectory)
    closers.defer(() => directory.close())
    const database = await openDatabase(directory.database, { log: silent })
    closers.defer(() => database.close())
    const tables = await database.db.introspection.getTables()
    // Only the service creates tables, because it migrates from every earlier version.
    if (!tables.some(({ name }) => name === 'core__api_tokens'))
      throw new PlayheadError('PLH_NOT_READY', 'Start this version of Playhead once. It prepares its database.')
    const tokens = await createApiTokens({ db: database.db, clock, log: silent })
    closers.defer(() => tokens.close())
    return { tokens, close: () => closers.disposeAsync() }
  } catch (error) {
    await closers.disposeAsync()
    throw error
  }
}

const ignore = (): void => undefined
const silent: Logger = {
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  channel: () => silent,
}

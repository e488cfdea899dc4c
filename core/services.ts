// The core's services, created in dependency order and closed in reverse.
import { PlayheadError, type Logger } from '@playhead/sdk'
import { createAuth } from './auth/account.ts'
import { createApiTokens } from './auth/api-tokens.ts'
import { createLoginLimiter } from './auth/login-limiter.ts'
import { createSessions } from './auth/sessions.ts'
import { systemClock } from './clock.ts'
import { createData } from './data/data.ts'
import { createUpgrade } from './data/upgrade.ts'
import { asUnreadable, isDamage } from './own-database/readable.ts'
import { createConfigHistory } from './config/history.ts'
import { createConfigService, type RunningConfig } from './config/service.ts'
import { isLoopback, type Environment } from './environment.ts'
import { createTls } from './http/tls/tls.ts'
import type { LoggingOptions } from './log.ts'
import { openLog, openTraffic } from './parts.ts'
import { openDataDirectory, type DataDirectory } from './storage/data-directory.ts'
import type { LockOptions } from './storage/directory-lock.ts'
import { openKeyValue } from './storage/key-value.ts'
import { migrate } from './storage/migrations.ts'
import { CORE_MIGRATIONS } from './core-tables.ts'
import { openDatabase } from './storage/sqlite.ts'
import { openVault } from './storage/vault.ts'
import { VERSION } from './version.ts'
import { createDiskWatch } from './work/disk-watch.ts'

/** All services of the core. */
export type Services = Awaited<ReturnType<typeof openIn>>

interface ServiceOptions {
  readonly environment: Environment
  /** Progress of waiting for the lock of the data directory. Default: do not wait. */
  readonly lock?: LockOptions
  /** Default: standard output. */
  readonly logTo?: (line: string) => void
}

export async function openServices(options: ServiceOptions, closers: AsyncDisposableStack): Promise<Services> {
  const directory = await openDataDirectory(options.environment.dataDirectory, options.lock)
  closers.defer(() => directory.close())
  try {
    return await openIn(directory, options, closers)
  } catch (error) {
    const wasRestored = await directory.restore.giveUp((error as Error).message)
    // Migrations found the damage: large files are not checked before.
    if (!wasRestored) throw isDamage(error) ? asUnreadable(directory.database, error) : error
    throw new PlayheadError(
      'PLH_NOT_READY',
      `The restored data cannot be used (${(error as Error).message}). The data of before return with the next start.`,
      { cause: error },
    )
  }
}

async function openIn(directory: DataDirectory, options: ServiceOptions, closers: AsyncDisposableStack) {
  const { environment } = options
  const clock = systemClock
  let config: RunningConfig | undefined
  const opened = openLog({
    clock,
    config: () => config,
    level: environment.logLevel as LoggingOptions['level'],
    ...(options.logTo === undefined ? {} : { output: { write: options.logTo }, pretty: false }),
  })
  const { log } = opened.logging
  reportRestore(directory.restore, log)

  const database = await openDatabase(directory.database, { log })
  closers.defer(() => database.close())
  const { db } = database
  const upgrade = createUpgrade({ ...directory.version, root: directory.path, version: VERSION, now: Date.now, log })
  await migrate(db, 'core', CORE_MIGRATIONS, clock, () => upgrade.beforeMigration(directory.database))
  const keyValue = await openKeyValue(directory.keyValue, { log })
  closers.defer(() => keyValue.close())
  const history = createConfigHistory(db, log)
  closers.defer(() => history.settled())
  const vault = openVault({ keyFile: directory.secretKey, passphrase: environment.secretKey ?? undefined })
  const running = (config = await createConfigService({
    file: directory.config,
    lastGoodFile: directory.configLastGood,
    vault,
    version: VERSION,
    log: log.channel('CONFIG'),
    record: history.record,
  }))
  closers.defer(() => running.close())
  const audit = log.channel('AUTH')
  const sessions = await createSessions({ db, clock, config, log: audit })
  closers.defer(() => sessions.close())
  const tokens = await createApiTokens({ db, clock, log: audit })
  closers.defer(() => tokens.close())

  const { redact, redactValue } = opened.redactor
  const traffic = openTraffic({ clock, db, log, topics: opened.topics, redact, redactValue })
  const { events } = traffic
  const tls = createTls({ config, dataDirectory: directory.path, tlsDirectory: directory.tls, clock, log })
  const auth = createAuth({
    ...{ config, sessions, tokens, clock, events },
    limiter: createLoginLimiter({ clock }),
    tokenLimiter: createLoginLimiter({ clock }),
    log: audit,
    environment: { ...environment, loopbackOnly: isLoopback(environment.host) },
    announce: options.logTo ?? ((line) => void process.stdout.write(`${line}\n`)),
  })
  const diskWatch = createDiskWatch({
    directory: directory.path,
    work: traffic.work,
    log,
    minFreeMb: () => (running.status().available ? (running.at('runtime.min_free_mb') as number) : 0),
  })
  // Before the first plugin, so that its work at the start can be held as well.
  await diskWatch.check()
  closers.defer(() => diskWatch.close())
  closers.defer(config.onSaved(() => void diskWatch.check()))
  const work = traffic.work.of('core')
  const data = createData({
    root: directory.path,
    clock,
    log,
    keyFile: directory.secretKey,
    passphrase: environment.secretKey,
    lastRestore: directory.restore.outcome,
    work,
    onStaged() {
      running.refuseChanges(restartRequired)
      work.block({ code: 'restart_required', message: restartRequired().message })
    },
  })
  closers.defer(() => data.close())
  return {
    ...{ environment, directory, database, keyValue, vault, history, data, upgrade, diskWatch },
    ...{ config: running, sessions, tokens, auth, tls },
    ...opened,
    ...traffic,
  }
}

function reportRestore({ outcome, isNew }: DataDirectory['restore'], log: Logger): void {
  if (outcome === null || !isNew) return
  const { label, reason } = outcome
  if (outcome.outcome === 'restored') log.info({ label }, 'a backup was restored; all sessions ended')
  else log.error({ label, reason }, 'a backup could not be restored; the previous data remain')
}

function restartRequired(): PlayheadError {
  return new PlayheadError(
    'PLH_CONFLICT',
    'A backup will be restored at the next start. Restart Playhead first, or changes made now are lost.',
    { wire: 'restart_required' },
  )
}

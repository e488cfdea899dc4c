// The core's services, created in dependency order and closed in reverse.
import { randomUUID } from 'node:crypto'
import { PlayheadError, type Logger } from '@playhead/sdk'
import { createUpstreamHub, type UpstreamHub } from './upstream/hub.ts'
import { asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser'
import { createAuth, type Auth } from './auth/account.ts'
import { createApiTokens, type ApiTokens } from './auth/api-tokens.ts'
import { createLoginLimiter } from './auth/login-limiter.ts'
import { createSessions, type Sessions } from './auth/sessions.ts'
import { systemClock } from './clock.ts'
import { createData, type CoreData } from './data/data.ts'
import { createUpgrade, type Upgrade } from './data/upgrade.ts'
import { asUnreadable, isDamage } from './own-database/readable.ts'
import { createConfigHistory, type ConfigHistory } from './config/history.ts'
import { createConfigService, type RunningConfig } from './config/service.ts'
import { isLoopback, type Environment } from './environment.ts'
import { createEventBus, type CoreEventBus } from './events/bus.ts'
import { createLogChannels, type LogChannels } from './events/log-channels.ts'
import { createRedactor, type Redactor } from './events/redaction.ts'
import { createStreams, type StreamHub } from './events/streams.ts'
import { createTopics, type Topics } from './events/topics.ts'
import { createTls, type Tls } from './http/tls/tls.ts'
import { createLogging, type Logging } from './log.ts'
import { createScheduler, type Scheduler } from './scheduling/scheduler.ts'
import { openDataDirectory, type DataDirectory } from './storage/data-directory.ts'
import type { LockOptions } from './storage/directory-lock.ts'
import { openKeyValue, type KeyValueDatabase } from './storage/key-value.ts'
import { migrate } from './storage/migrations.ts'
import { CORE_MIGRATIONS } from './core-tables.ts'
import { openDatabase, type Database } from './storage/sqlite.ts'
import { openVault, type Vault } from './storage/vault.ts'
import { VERSION } from './version.ts'
import { createDiskWatch, type DiskWatch } from './work/disk-watch.ts'
import { createWorkRegistry, type CoreWork } from './work/registry.ts'

export interface Services {
  readonly environment: Environment
  readonly directory: DataDirectory
  readonly topics: Topics
  readonly channels: LogChannels
  /** Names that are never redacted; set with each composition. */
  readonly publicNames: { current: ReadonlySet<string> }
  readonly redactor: Redactor
  readonly logging: Logging
  readonly vault: Vault
  readonly database: Database
  readonly keyValue: KeyValueDatabase
  readonly config: RunningConfig
  readonly history: ConfigHistory
  readonly data: CoreData
  readonly upgrade: Upgrade
  readonly sessions: Sessions
  readonly tokens: ApiTokens
  readonly events: CoreEventBus
  readonly streams: StreamHub
  readonly work: CoreWork
  readonly diskWatch: DiskWatch
  readonly scheduler: Scheduler
  readonly auth: Auth
  readonly tls: Tls
  readonly upstream: UpstreamHub
}

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

async function openIn(
  directory: DataDirectory,
  options: ServiceOptions,
  closers: AsyncDisposableStack,
): Promise<Services> {
  const { environment } = options
  const container = createContainer<Services>({ injectionMode: InjectionMode.PROXY, strict: true })
  const { cradle } = container

  container.register({
    environment: asValue(environment),
    directory: asValue(directory),
    topics: asFunction(() =>
      createTopics({
        clock: systemClock,
        onTooLong: (topic, length) =>
          cradle.logging.log.warn(
            { topic, characters: length },
            'a message of a stream was too long; only its length is sent',
          ),
      }),
    ).singleton(),
    channels: asFunction(({ topics }: Services) => createLogChannels({ topics })).singleton(),
    // The log starts before the configuration, which has the secrets.
    publicNames: asValue({ current: NO_SECRETS }),
    redactor: asFunction(() =>
      createRedactor({
        secretValues: () => (container.hasRegistration('config') ? cradle.config.secretValues() : NO_SECRETS),
        publicNames: () => cradle.publicNames.current,
      }),
    ).singleton(),
    logging: asFunction(({ redactor, channels }: Services) =>
      createLogging({
        level: environment.logLevel as Parameters<typeof createLogging>[0]['level'],
        redactValue: redactor.redactValue,
        channels,
        ...(options.logTo === undefined ? {} : { output: { write: options.logTo }, pretty: false }),
      }),
    ).singleton(),
  })
  const {
    logging: { log },
  } = cradle
  reportRestore(directory.restore, log)

  const database = await openDatabase(directory.database, { log })
  closers.defer(() => database.close())
  const upgrade = createUpgrade({ ...directory.version, root: directory.path, version: VERSION, now: Date.now, log })
  await migrate(database.db, 'core', CORE_MIGRATIONS, systemClock, () => upgrade.beforeMigration(directory.database))
  const keyValue = await openKeyValue(directory.keyValue, { log })
  closers.defer(() => keyValue.close())
  const history = createConfigHistory(database.db, log)
  closers.defer(() => history.settled())
  const vault = openVault({ keyFile: directory.secretKey, passphrase: environment.secretKey ?? undefined })
  const config = await createConfigService({
    file: directory.config,
    lastGoodFile: directory.configLastGood,
    vault,
    version: VERSION,
    log: log.channel('CONFIG'),
    record: history.record,
  })
  closers.defer(() => config.close())
  container.register({
    upgrade: asValue(upgrade),
    vault: asValue(vault),
    database: asValue(database),
    keyValue: asValue(keyValue),
    history: asValue(history),
    config: asValue(config),
  })
  const sessions = await createSessions({ db: database.db, clock: systemClock, config, log: log.channel('AUTH') })
  closers.defer(() => sessions.close())
  const tokens = await createApiTokens({ db: database.db, clock: systemClock, log: log.channel('AUTH') })
  closers.defer(() => tokens.close())

  container.register({
    sessions: asValue(sessions),
    tokens: asValue(tokens),
    events: asFunction(({ redactor }: Services) =>
      createEventBus({ clock: systemClock, log, redactValue: redactor.redactValue }),
    ).singleton(),
    streams: asFunction(({ topics, redactor }: Services) =>
      createStreams({ topics, log, redact: redactor.redact }),
    ).singleton(),
    work: asFunction(({ events }: Services) =>
      createWorkRegistry({
        clock: systemClock,
        onBlock(change, { code, message, plugin }) {
          const isOver = change === 'unblocked'
          if (isOver) log.info({ code, plugin }, 'new work may begin again')
          else log.warn({ code, plugin }, `new work is held: ${message}`)
          events.emit(`work.${change}`, { code, message, plugin })
        },
      }),
    ).singleton(),
    diskWatch: asFunction(({ work }: Services) =>
      createDiskWatch({
        directory: directory.path,
        work,
        log,
        minFreeMb: () => (config.status().available ? (config.at('runtime.min_free_mb') as number) : 0),
      }),
    ).singleton(),
    scheduler: asFunction(() =>
      createScheduler({ db: database.db, clock: systemClock, log: log.channel('SCHEDULER'), hostId: randomUUID() }),
    ).singleton(),
    upstream: asFunction(({ redactor }: Services) =>
      createUpstreamHub({ clock: systemClock, log, redact: redactor.redact }),
    ).singleton(),
    tls: asFunction(() =>
      createTls({ config, dataDirectory: directory.path, tlsDirectory: directory.tls, clock: systemClock, log }),
    ).singleton(),
    auth: asFunction(({ events }: Services) =>
      createAuth({
        config,
        sessions,
        limiter: createLoginLimiter({ clock: systemClock }),
        tokens,
        tokenLimiter: createLoginLimiter({ clock: systemClock }),
        clock: systemClock,
        log: log.channel('AUTH'),
        events,
        environment: { ...environment, loopbackOnly: isLoopback(environment.host) },
        announce: options.logTo ?? ((line) => void process.stdout.write(`${line}\n`)),
      }),
    ).singleton(),
  })
  // Before the first plugin, so that its work at the start can be held as well.
  await cradle.diskWatch.check()
  closers.defer(() => cradle.diskWatch.close())
  closers.defer(config.onSaved(() => void cradle.diskWatch.check()))
  const work = cradle.work.of('core')
  const data = createData({
    root: directory.path,
    clock: systemClock,
    log,
    keyFile: directory.secretKey,
    passphrase: environment.secretKey,
    lastRestore: directory.restore.outcome,
    work,
    onStaged() {
      config.refuseChanges(restartRequired)
      work.block({ code: 'restart_required', message: restartRequired().message })
    },
  })
  closers.defer(() => data.close())
  container.register({ data: asValue(data) })
  return cradle
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
    'A backup is restored with the next start. Restart the service first: changes made now would be lost.',
    { wire: 'restart_required' },
  )
}

const NO_SECRETS: ReadonlySet<string> = new Set()

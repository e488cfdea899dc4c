// The composition root: opens what is stored, builds the services, brings up the plugins, listens; and takes all of it
// down again in the opposite order. Read it from top to bottom to know what Playhead is made of.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CONFIG_BACKUP, CONFIG_SAVED, type HealthFact, RUNNING_OPERATIONS, SESSION_CHANGED } from '@playhead/sdk'
import { createUpstreamHub, type UpstreamHub } from '@playhead/sdk/host'
// Awilix without its loader of modules by pattern, which plugins have their registry for.
import { asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser'
import { createAuth, type Auth } from './auth/account.ts'
import { createLoginLimiter } from './auth/login-limiter.ts'
import { authRoutes } from './auth/routes.ts'
import { createSessions, type Sessions } from './auth/sessions.ts'
import { SESSION_MIGRATIONS } from './auth/session-table.ts'
import { systemClock } from './clock.ts'
import { createPlainBackup } from './config/backup.ts'
import { createConfigHistory, CONFIG_HISTORY_MIGRATIONS, type ConfigHistory } from './config/history.ts'
import { configRoutes } from './config/routes.ts'
import { createConfigService, type RunningConfig } from './config/service.ts'
import { isLoopback, type Environment } from './environment.ts'
import { createEventBus, type CoreEventBus } from './events/bus.ts'
import { createLogChannels, type LogChannels } from './events/log-channels.ts'
import { createRedactor, type Redactor } from './events/redaction.ts'
import { createStreams, type StreamHub } from './events/streams.ts'
import { createTopics, type Topics } from './events/topics.ts'
import { createVitalSigns } from './events/vital-signs.ts'
import { createPluginHost, type HostOptions, type PluginHost } from './host/host.ts'
import { installProcessGuards } from './host/process-guards.ts'
import { pluginRoutes } from './host/routes.ts'
import { createCoreApp, type CoreApp } from './http/app.ts'
import { documentationRoutes } from './http/docs.ts'
import { createGate } from './http/gate.ts'
import { healthRoutes } from './http/health.ts'
import { descriptionRoutes, mergeDescriptions } from './http/openapi.ts'
import { createNodeRefusals } from './http/node-refusals.ts'
import { loadPages, pageRoutes, sendPage } from './http/pages.ts'
import { createSecurityHeaders } from './http/security-headers.ts'
import { createWebServer, type WebLimits } from './http/server.ts'
import { createTls, type Tls } from './http/tls.ts'
import { tlsRoutes } from './http/tls-routes.ts'
import { createCompilers } from './http/validation.ts'
import { createLogging, type Logging } from './log.ts'
import { createScheduler, type Scheduler } from './scheduling/scheduler.ts'
import { schedulingMigrations } from './scheduling/job-store.ts'
import { openDataDirectory, type DataDirectory } from './storage/data-directory.ts'
import { readDatabases } from './storage/database-health.ts'
import { openKeyValue, type KeyValueDatabase } from './storage/key-value.ts'
import { migrate } from './storage/migrations.ts'
import { createOwnDatabases } from './storage/own-database.ts'
import { createPluginFiles } from './storage/plugin-files.ts'
import { openDatabase, type Database } from './storage/sqlite.ts'
import { openVault } from './storage/vault.ts'
import { VERSION } from './version.ts'

const ROOT = join(import.meta.dirname, '..')
/** Asks the supervisor for a restart: "on failure" policies ignore a plain 0. */
const RESTART_EXIT_CODE = 75
const DRAIN_MS = 10_000
const EVENTS_MS = 1_000
const SESSION_PRUNE_MS = 60_000
const CERTIFICATE_LOOK_MS = 12 * 3_600_000

export interface PlayheadOptions {
  readonly environment: Environment
  /** Default: the registry beside package.json. */
  readonly bundledRegistry?: string
  readonly host?: Partial<Omit<HostOptions, 'isCoreRoute'>>
  /** Default: standard output. */
  readonly logTo?: (line: string) => void
  readonly processGuards?: boolean
  readonly webLimits?: WebLimits
}

export interface Playhead {
  readonly url: string
  readonly host: PluginHost
  readonly config: RunningConfig
  readonly events: CoreEventBus
  readonly streams: StreamHub
  readonly scheduler: Scheduler
  /** Drains and closes everything; safe to call twice. */
  stop(drainMs?: number): Promise<void>
  /** Resolves with the exit code when the service wants to end: an operator's restart, or a failure of the core. */
  readonly ended: Promise<number>
}

interface Services {
  readonly environment: Environment
  readonly directory: DataDirectory
  readonly topics: Topics
  readonly channels: LogChannels
  /** What the redactor takes for names; set with each composition of plugins. */
  readonly publicNames: { current: ReadonlySet<string> }
  readonly redactor: Redactor
  readonly logging: Logging
  readonly database: Database
  readonly keyValue: KeyValueDatabase
  readonly config: RunningConfig
  readonly history: ConfigHistory
  readonly sessions: Sessions
  readonly events: CoreEventBus
  readonly streams: StreamHub
  readonly scheduler: Scheduler
  readonly auth: Auth
  readonly tls: Tls
  readonly upstream: UpstreamHub
}

export async function startPlayhead(options: PlayheadOptions): Promise<Playhead> {
  const { environment } = options
  const startedAtMs = systemClock.now()
  const closers = new AsyncDisposableStack()
  const ending = Promise.withResolvers<number>()
  try {
    const services = await buildServices(options, closers)
    const { directory, logging, config, sessions, events, streams, scheduler, auth, tls, redactor } = services
    const log = logging.log

    // Plugins and everything that answers requests.
    const compilers = createCompilers()
    const publicUrl = environment.publicUrl === null ? null : new URL(environment.publicUrl)
    const gate = createGate({
      auth,
      config,
      log: log.channel('AUTH'),
      allowedHosts: publicUrl === null ? [] : [publicUrl.hostname],
      publicOrigin: publicUrl?.origin ?? null,
    })
    const prelude = {
      gate,
      compilers,
      headersFor: createSecurityHeaders({ config, selfSigned: () => tls.isSelfSigned() }),
      openapiInfo: { title: 'Playhead', version: VERSION },
    }
    let isCoreRoute: HostOptions['isCoreRoute'] = () => false
    const vitalSigns = createVitalSigns({ directory: directory.path })
    closers.defer(() => vitalSigns.close())
    const host = createPluginHost(
      {
        clock: systemClock,
        log,
        pluginLogger: logging.forPlugin,
        redact: redactor.redact,
        version: VERSION,
        startedAtMs,
        directories: {
          bundledRegistry: options.bundledRegistry ?? join(ROOT, 'plugin-registry.json'),
          userRegistry: directory.pluginRegistry,
          packages: directory.installedPlugins,
          compiled: directory.compiledPlugins,
          run: directory.run,
        },
        config,
        database: services.database.db,
        migrate: async (owner, migrations) => void (await migrate(services.database.db, owner, migrations)),
        keyValue: services.keyValue,
        ownDatabases: createOwnDatabases({ dataDirectory: directory, clock: systemClock }),
        databaseFolder: (plugin) => directory.pluginDatabases(plugin),
        files: (pluginId, needs) => createPluginFiles({ dataDirectory: directory, pluginId, needs }),
        events,
        streams,
        signIn: (method) => auth.signIn(method),
        scheduler,
        upstream: services.upstream,
        prelude,
        logChannels: () => services.channels.list(),
        process: () => vitalSigns.process(),
        health: async () => [
          ...(await vitalSigns.read()),
          configurationHealth(config),
          await readDatabases({
            db: services.database.db,
            files: [directory.database, directory.keyValue],
            pluginFolder: directory.databases,
          }),
        ],
        setPublicNames: (names) => {
          services.publicNames.current = names
        },
        setLogChannels: (declared) => services.channels.setDeclaredChannels(declared),
      },
      {
        watchPollMs: environment.watchPollMs ?? undefined,
        ...options.host,
        isCoreRoute: (method, path) => isCoreRoute(method, path),
      },
    )

    const runningOperations = async () => (await host.callHook(RUNNING_OPERATIONS, {})).flat()
    const restart = (reason: string) => {
      log.info({ reason }, 'restarting')
      ending.resolve(RESTART_EXIT_CODE)
    }
    const plainBackup = createPlainBackup({
      file: directory.config,
      folder: directory.shared('backups'),
      clock: systemClock,
    })
    const pages = await loadPages(join(ROOT, 'ui'))
    const describe = async () => mergeDescriptions(await core.app.describe(), await host.descriptions())
    const core: CoreApp = await createCoreApp(
      {
        ...prelude,
        log,
        redact: redactor.redact,
        pluginMethodsAt: (url) => host.methodsAt(url),
        sendNotFoundPage: (reply) => sendPage(reply, pages, 'index'),
      },
      [
        healthRoutes,
        authRoutes({
          auth,
          sessions,
          clock: systemClock,
          sendLoginPage: (reply, fill) => sendPage(reply, pages, 'index', fill),
          runningOperations,
          restart,
        }),
        configRoutes({
          config,
          ownerOf: (id) => {
            const plugin = host.list().find((one) => one.id === id)
            return plugin === undefined
              ? undefined
              : { name: plugin.name, description: plugin.description, kind: plugin.kind ?? 'service' }
          },
          authState: () => ({
            state: auth.state(),
            configured: auth.account().configured,
            resetRequired: auth.account().resetRequired,
          }),
          runningOperations,
          // A plugin that makes backups has the first word; without one the file is copied.
          backup: async (label) =>
            (await host.callHook(CONFIG_BACKUP, { label, scope: 'config_only' }))?.path ?? (await plainBackup(label)),
          version: VERSION,
          log,
        }),
        tlsRoutes({ tls, clock: systemClock }),
        (app) => pluginRoutes(app, { host, streams }),
        (app) => descriptionRoutes(app, { describe }),
        (app) => documentationRoutes(app, { describe, logo: pages.icon }),
        (app) => pageRoutes(app, { pages }),
      ],
    )
    await core.app.ready()
    closers.defer(() => core.app.close())
    isCoreRoute = core.isCoreRoute

    // What the services tell each other.
    closers.defer(config.onSaved(({ paths, revision }) => void host.callHook(CONFIG_SAVED, { paths, revision })))
    sessions.onStarted(
      (session) =>
        void host.callHook(SESSION_CHANGED, { change: 'started', sessionId: session.id, method: session.method }),
    )
    sessions.onEnded((session) => {
      streams.closeSession(session.id)
      void host.callHook(SESSION_CHANGED, { change: 'ended', sessionId: session.id, method: session.method })
    })
    const pruning = setInterval(
      () =>
        void sessions
          .prune()
          .catch((error: unknown) => log.error({ err: error }, 'expired sessions could not be ended')),
      SESSION_PRUNE_MS,
    ).unref()
    closers.defer(() => clearInterval(pruning))
    if (options.processGuards !== false) {
      closers.defer(
        installProcessGuards({
          strayError: host.strayError,
          onFatal(error) {
            log.error({ err: error }, 'an error that nobody handled; the service stops')
            ending.resolve(1)
          },
        }),
      )
    }

    // Up.
    // With an unreadable configuration the service still listens, to say so.
    const isHttps = config.status().available && config.at('ui.protocol') === 'https'
    const server = createWebServer(
      (request, response) => {
        if (!host.route(request, response)) core.app.routing(request, response)
      },
      isHttps ? { ...(await tls.open()), minVersion: 'TLSv1.2' } : null,
      createNodeRefusals(prelude.headersFor),
      options.webLimits,
    )
    if (server.secure !== null) {
      closers.defer(tls.attach(server.secure))
      // Certificates are renewed by others, too.
      const renewal = setInterval(
        () =>
          void tls
            .reload()
            .catch((error: unknown) => log.error({ err: error }, 'the certificate could not be read again')),
        CERTIFICATE_LOOK_MS,
      ).unref()
      closers.defer(() => clearInterval(renewal))
    }
    await auth.start()
    await host.start()
    closers.defer(() => host.stop())
    scheduler.start()
    closers.defer(async () => void (await scheduler.drain(DRAIN_MS)))
    const { port } = await server.listen(environment.port, environment.host)
    closers.defer(() => server.close(DRAIN_MS))
    closers.defer(() => streams.closeAll())
    // Who did not get an event by then looks at what is stored when it starts again.
    closers.defer(() => events.settled(EVENTS_MS))
    const url = `${isHttps ? 'https' : 'http'}://${environment.host.includes(':') ? `[${environment.host}]` : environment.host}:${port}`
    log.info(
      {
        data: directory.path,
        version: VERSION,
        plugins: host.list().filter(({ state }) => state === 'active').length,
        url,
      },
      `Playhead is up: ${url}`,
    )
    events.emit('service.started', { version: VERSION })

    let stopping: Promise<void> | null = null
    return {
      url,
      host,
      config,
      events,
      streams,
      scheduler,
      ended: ending.promise,
      stop: () => (stopping ??= closers.disposeAsync()),
    }
  } catch (error) {
    await closers.disposeAsync()
    throw error
  }
}

async function buildServices(options: PlayheadOptions, closers: AsyncDisposableStack): Promise<Services> {
  const { environment } = options
  const container = createContainer<Services>({ injectionMode: InjectionMode.PROXY, strict: true })
  const { cradle } = container

  container.register({
    environment: asValue(environment),
    directory: asValue(await openDataDirectory(environment.dataDirectory)),
    topics: asFunction(() =>
      createTopics({
        clock: systemClock,
        onTooLong: (topic, length) =>
          cradle.logging.log.warn(
            { topic, characters: length },
            'a message of a stream was too long; only its length is told',
          ),
      }),
    ).singleton(),
    channels: asFunction(({ topics }: Services) => createLogChannels({ topics })).singleton(),
    // The log comes before the configuration that knows the secrets; until then there are none to know.
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
    directory,
    logging: { log },
  } = cradle
  closers.defer(() => directory.close())

  const database = await openDatabase(directory.database, { log })
  closers.defer(() => database.close())
  await migrate(database.db, 'core', [...SESSION_MIGRATIONS, ...schedulingMigrations, ...CONFIG_HISTORY_MIGRATIONS])
  const keyValue = await openKeyValue(directory.keyValue, { log })
  closers.defer(() => keyValue.close())
  const history = createConfigHistory(database.db, log)
  closers.defer(() => history.settled())
  const config = await createConfigService({
    file: directory.config,
    lastGoodFile: directory.configLastGood,
    vault: openVault({ keyFile: directory.secretKey, passphrase: environment.secretKey ?? undefined }),
    version: VERSION,
    log: log.channel('CONFIG'),
    record: history.record,
  })
  closers.defer(() => config.close())
  container.register({
    database: asValue(database),
    keyValue: asValue(keyValue),
    history: asValue(history),
    config: asValue(config),
  })
  const sessions = await createSessions({ db: database.db, clock: systemClock, config, log: log.channel('AUTH') })
  closers.defer(() => sessions.close())

  container.register({
    sessions: asValue(sessions),
    events: asFunction(({ redactor }: Services) =>
      createEventBus({ clock: systemClock, log, redactValue: redactor.redactValue }),
    ).singleton(),
    streams: asFunction(({ topics, redactor }: Services) =>
      createStreams({ topics, log, redact: redactor.redact }),
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
        clock: systemClock,
        log: log.channel('AUTH'),
        events,
        environment: { ...environment, loopbackOnly: isLoopback(environment.host) },
        announce: options.logTo ?? ((line) => void process.stdout.write(`${line}\n`)),
      }),
    ).singleton(),
  })
  return cradle
}

function configurationHealth(config: RunningConfig): HealthFact {
  const { available, corrupt, restoredFromLastGood, warnings } = config.status()
  const ok = available && !corrupt
  return {
    name: 'configuration',
    ok,
    detail: { corrupt, restored_from_last_good: restoredFromLastGood, warnings: warnings.length },
    ...(ok
      ? {}
      : { advice: 'The settings cannot be read as they are. Put right config.json, or restore a backup of it.' }),
  }
}

const NO_SECRETS: ReadonlySet<string> = new Set()

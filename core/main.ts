// The composition root: opens storage, builds services, loads plugins, listens, and closes everything in reverse order.
import { join } from 'node:path'
import { CONFIG_SAVED, SESSION_CHANGED } from '@playhead/sdk'
import { repeat, systemClock } from './clock.ts'
import type { RunningConfig } from './config/service.ts'
import type { Environment } from './environment.ts'
import type { CoreEventBus } from './events/bus.ts'
import type { StreamHub } from './events/streams.ts'
import { createVitalSigns } from './events/vital-signs.ts'
import { createPluginHost, type HostOptions, type PluginHost } from './host/host.ts'
import { installProcessGuards } from './host/run/process-guards.ts'
import { belowBase } from './http/base-path.ts'
import { createCoreApp, type CoreApp } from './http/app.ts'
import { createGate } from './http/access/gate.ts'
import { announceChanges, newestChange } from './http/changes.ts'
import { createDocument } from './http/openapi/document.ts'
import { createNodeRefusals } from './http/node-refusals.ts'
import type { PreludeDependencies } from './http/prelude.ts'
import { loadPages, sendPage } from './http/pages.ts'
import { createSecurityHeaders } from './http/security-headers.ts'
import { createStoredAnswers } from './http/stored-answers.ts'
import { createWebServer, type RequestHandler, type WebLimits } from './http/server.ts'
import { createCompilers, lazily } from './http/validation.ts'
import type { DirectoryPlaces } from './packages/directory.ts'
import type { LockOptions } from './storage/directory-lock.ts'
import type { Scheduler } from './scheduling/scheduler.ts'
import { IS_BUILT, ROOT } from './installation.ts'
import { VERSION } from './version.ts'
import { openServices } from './services.ts'
import { hostDependencies } from './host/from-services.ts'
import { coreRoutes } from './http/core-routes.ts'
import { defined } from '@playhead/sdk/host'

const UI = join(ROOT, 'ui')
/** Exit code for a requested restart under a supervisor: "on failure" policies ignore a plain 0. */
export const RESTART_EXIT_CODE = 75
const DRAIN_MS = 10_000
const EVENTS_MS = 1_000
/** The first jobs are planned when the service answers; planning loads the time zones. */
const PLAN_AFTER_MS = 500
const SESSION_PRUNE_MS = 60_000
const CERTIFICATE_CHECK_MS = 12 * 3_600_000

export interface PlayheadOptions {
  readonly environment: Environment
  /** Default: the registry beside package.json. */
  readonly bundledRegistry?: string
  /** Default: the directory of plugins that ships with Playhead. */
  readonly pluginDirectory?: Partial<DirectoryPlaces>
  readonly host?: Partial<Omit<HostOptions, 'isCoreRoute'>>
  /** Waits for a service that is stopping in the same data directory. Default: the start is refused at once. */
  readonly lock?: Pick<LockOptions, 'onWait' | 'signal'>
  /** Default: standard output. */
  readonly logTo?: (line: string) => void
  readonly processGuards?: boolean
  /** Compiles the schemas of plugins at first use; an invalid one is found only then. */
  readonly lazySchemas?: boolean
  /** Why the built core is not used; logged at the start. */
  readonly notBuilt?: string | null
  readonly webLimits?: WebLimits
  /** Called with each JSON response, for tests. */
  readonly onAnswer?: PreludeDependencies['onAnswer']
}

export interface Playhead {
  readonly url: string
  readonly host: PluginHost
  readonly config: RunningConfig
  readonly events: CoreEventBus
  readonly streams: StreamHub
  readonly scheduler: Scheduler
  /** Drains and closes everything; idempotent. */
  stop(drainMs?: number): Promise<void>
  /** Resolves with the exit code when the service ends itself: a requested restart, or a fatal error. */
  readonly ended: Promise<number>
}

export async function startPlayhead(options: PlayheadOptions): Promise<Playhead> {
  const { environment } = options
  const startedAtMs = systemClock.now()
  const closers = new AsyncDisposableStack()
  const ending = Promise.withResolvers<number>()
  try {
    let onLost = (_text: string) => ending.resolve(1)
    const services = await openServices(
      { ...options, lock: { ...options.lock, onLost: (text) => onLost(text) } },
      closers,
    )
    const { directory, logging, config, sessions, tokens, events, streams, scheduler, auth, tls, redactor } = services
    const { log } = logging
    if (options.notBuilt != null)
      log.info(
        `The core runs from its sources, because what "npm ci" made of it cannot be used: ${options.notBuilt}. The start takes longer; "npm run build" makes it again.`,
      )
    onLost = (text) => {
      log.error(`${text} This service ends.`)
      ending.resolve(1)
    }

    // HTTP: shared by core and plugins.
    const { basePath } = environment
    const publicUrl = environment.publicUrl === null ? null : new URL(environment.publicUrl)
    const gate = createGate({
      auth,
      config,
      log: log.channel('AUTH'),
      allowedHosts: publicUrl === null ? [] : [publicUrl.hostname],
      publicOrigin: publicUrl?.origin ?? null,
      basePath,
    })
    const prelude = {
      gate,
      compilers: options.lazySchemas === true ? lazily(createCompilers()) : createCompilers(),
      headersFor: createSecurityHeaders({ config, selfSigned: () => tls.isSelfSigned() }),
      onAnswer: options.onAnswer,
      onAnswered: announceChanges(services),
      stored: createStoredAnswers(),
    }

    const restart = (reason: string) => {
      log.info({ reason }, 'restarting')
      ending.resolve(RESTART_EXIT_CODE)
    }

    // Plugins.
    const vitalSigns = createVitalSigns()
    closers.defer(() => vitalSigns.close())
    const { bundledRegistry, pluginDirectory } = options
    let isCoreRoute: HostOptions['isCoreRoute'] = () => false
    const host = createPluginHost(
      hostDependencies({
        services,
        prelude,
        vitalSigns,
        startedAtMs,
        restart,
        npmVariables: { ...process.env, ...defined({ PLAYHEAD_NPM_REGISTRY: environment.npmRegistry ?? undefined }) },
        ...defined({ bundledRegistry, pluginDirectory }),
      }),
      {
        watchPollMs: environment.watchPollMs ?? undefined,
        ...options.host,
        isCoreRoute: (method, path) => isCoreRoute(method, path),
      },
    )

    // Core routes.
    const pages = await loadPages(UI, basePath, () => newestChange(services.topics))
    const document = createDocument({
      basePath,
      info: { title: 'Playhead', version: VERSION },
      core: () => core.app.describe(),
      plugins: host.described,
    })
    const core: CoreApp = await createCoreApp(
      {
        ...prelude,
        compilers: lazily(prelude.compilers),
        log,
        redact: redactor.redact,
        pluginMethodsAt: (url) => host.methodsAt(url),
        sendNotFoundPage: (reply) => sendPage(reply, pages, 'index'),
      },
      coreRoutes({ services, host, pages, document, restart, dispatch: (...both) => dispatch(...both) }),
    )
    const dispatch: RequestHandler = (request, response) => {
      if (!host.route(request, response)) core.app.routing(request, response)
    }
    await core.app.ready()
    closers.defer(() => core.app.close())
    isCoreRoute = core.isCoreRoute

    // Connections between services.
    closers.defer(config.onSaved(({ paths, revision }) => void host.callHook(CONFIG_SAVED, { paths, revision })))
    let isOpen = config.status().available && auth.state() !== 'enabled'
    closers.defer(
      config.onSaved(() => {
        const wasOpen = isOpen
        isOpen = auth.state() !== 'enabled'
        if (wasOpen && !isOpen) streams.closeStrangers()
      }),
    )
    sessions.onStarted(
      (session) =>
        void host.callHook(SESSION_CHANGED, { change: 'started', sessionId: session.id, method: session.method }),
    )
    sessions.onEnded((session) => {
      streams.closeSession(session.id)
      void host.callHook(SESSION_CHANGED, { change: 'ended', sessionId: session.id, method: session.method })
    })
    tokens.onEnded((id) => streams.closeToken(id))
    const failed = (what: string) => (error: unknown) => log.error({ err: error }, what)
    closers.defer(repeat(SESSION_PRUNE_MS, () => sessions.prune(), failed('expired sessions could not be ended')))
    closers.defer(repeat(SESSION_PRUNE_MS, async () => tokens.prune(), failed('expired tokens could not be ended')))
    if (options.processGuards !== false) {
      closers.defer(
        installProcessGuards({
          strayError: host.strayError,
          onFatal(error) {
            log.error({ err: error }, 'unhandled error; the service stops')
            ending.resolve(1)
          },
        }),
      )
    }

    // Start. With an unreadable configuration the service still listens, to report it.
    const isHttps = config.status().available && config.at('ui.protocol') === 'https'
    const server = createWebServer(
      belowBase(basePath, dispatch),
      isHttps ? { ...(await tls.open()), minVersion: 'TLSv1.2' } : null,
      createNodeRefusals(prelude.headersFor),
      options.webLimits,
    )
    if (server.secure !== null) {
      closers.defer(tls.attach(server.secure))
      // Certificates may be renewed externally.
      closers.defer(repeat(CERTIFICATE_CHECK_MS, () => tls.reload(), failed('the certificate could not be read again')))
    }
    await auth.start()
    await host.start()
    closers.defer(() => host.stop())
    scheduler.start(PLAN_AFTER_MS)
    closers.defer(async () => void (await scheduler.drain(DRAIN_MS)))
    const { port } = await server.listen(environment.port, environment.host)
    closers.defer(() => server.close(DRAIN_MS))
    closers.defer(() => streams.closeAll())
    // Undelivered events are recovered from storage at the next start.
    closers.defer(() => events.settled(EVENTS_MS))
    const url = `${isHttps ? 'https' : 'http'}://${environment.host.includes(':') ? `[${environment.host}]` : environment.host}:${port}${basePath}`
    if (config.status().available) {
      await directory.restore.confirm()
      // Slow plugins may still change their tables.
      const upgraded = host
        .settled()
        .then(() => services.upgrade.confirm())
        .catch(failed('the end of the upgrade could not be noted'))
      closers.defer(() => upgraded)
    }
    const plugins = host.list().filter(({ state }) => state === 'active').length
    log.debug({ data: directory.path, version: VERSION, plugins, built: IS_BUILT }, 'what was started')
    log.info({ url }, `Playhead is ready → ${url}`)
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
      stop() {
        directory.stopping()
        return (stopping ??= closers.disposeAsync())
      },
    }
  } catch (error) {
    await closers.disposeAsync()
    throw error
  }
}

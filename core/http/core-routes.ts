import { CONFIG_BACKUP, isNotModified, ROTATE_TOKEN, RUNNING_OPERATIONS, TOKEN_USES, Type } from '@playhead/sdk'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { RouteAccess } from './access/access.ts'
import { authRoutes } from '../auth/routes.ts'
import { tokenRoutes } from '../auth/token-routes.ts'
import { systemClock } from '../clock.ts'
import { createPlainBackup } from '../config/backup.ts'
import { configRoutes } from '../config/routes/routes.ts'
import type { PluginHost } from '../host/host.ts'
import { developmentRoutes } from '../packages/development-routes.ts'
import { packageRoutes } from '../packages/routes.ts'
import { pluginRoutes } from '../host/compose/routes.ts'
import { guideRoutes } from './guide.ts'
import { changeRoutes } from './changes.ts'
import type { OpenapiDocument } from './openapi/document.ts'
import { type Pages, pageRoutes, sendPage } from './pages.ts'
import type { RequestHandler } from './server.ts'
import { streamRoutes } from './stream-routes.ts'
import { tlsRoutes } from './tls/tls-routes.ts'
import { VERSION } from '../version.ts'
import type { Services } from '../services.ts'

interface CoreRoutesOptions {
  readonly services: Services
  readonly host: PluginHost
  readonly pages: Pages
  readonly document: OpenapiDocument
  readonly restart: (reason: string) => void
  /** Handles a request as if it came from outside. */
  readonly dispatch: RequestHandler
}

export function coreRoutes({
  services,
  host,
  pages,
  document,
  restart,
  dispatch,
}: CoreRoutesOptions): readonly FastifyPluginAsync[] {
  const { directory, logging, config, sessions, tokens, streams, auth, tls } = services
  const { log } = logging
  const runningOperations = async () => (await host.callHook(RUNNING_OPERATIONS, {})).flat()
  const plainBackup = createPlainBackup({
    file: directory.config,
    folder: directory.shared('backups'),
    clock: systemClock,
  })
  return [
    healthRoutes,
    authRoutes({
      auth,
      sessions,
      clock: systemClock,
      sendLoginPage: (reply, fill) => sendPage(reply, pages, 'entry', fill),
      runningOperations,
      restart,
    }),
    tokenRoutes({
      auth,
      tokens,
      clock: systemClock,
      others: async () => (await host.callHook(TOKEN_USES, {})).flat(),
      rotate: (id) => host.callHook(ROTATE_TOKEN, { id }),
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
      // A backup plugin takes precedence; otherwise the file is copied.
      backup: async (label) =>
        (await host.callHook(CONFIG_BACKUP, { label, scope: 'config_only' }))?.path ?? (await plainBackup(label)),
      version: VERSION,
      log,
    }),
    tlsRoutes({ tls, clock: systemClock }),
    (app) => pluginRoutes(app, { host, streams }),
    (app) => streamRoutes(app, { streams, dispatch }),
    (app) => changeRoutes(app, { streams }),
    (app) => packageRoutes(app, { host }),
    (app) => developmentRoutes(app, { host }),
    (app) => descriptionRoutes(app, { document }),
    (app) => pageRoutes(app, { pages, isSetUp: () => auth.state() !== 'setup_required' }),
    (app) => guideRoutes(app, { pages }),
  ]
}

const access: RouteAccess = { auth: 'P', duringSetup: true, always: true }
const Health = Type.Object({ ok: Type.Boolean(), status: Type.String() })

async function healthRoutes(app: FastifyInstance): Promise<void> {
  for (const [url, hide] of [
    ['/api/health', false],
    ['/healthz', true],
  ] as const) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { access },
      schema: { summary: 'Is the service alive?', tags: ['Health'], hide, response: { 200: Health } },
      handler: () => ({ ok: true, status: 'ok' }),
    })
  }
}

/** The OpenAPI description. */
async function descriptionRoutes(
  app: FastifyInstance,
  { document }: { readonly document: OpenapiDocument },
): Promise<void> {
  app.get('/openapi.json', { config: { access: { auth: 'S' } }, schema: { hide: true } }, async (request, reply) => {
    const { text, version } = await document.read()
    if (isNotModified(request, reply, version)) return reply.send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

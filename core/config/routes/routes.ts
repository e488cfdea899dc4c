import { Type, type Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import {
  callerName,
  type Logger,
  PlayheadError,
  type RunningOperation,
  isNotModified,
  optionalBody,
  withTimeLimit,
} from '@playhead/sdk'
import type { RouteAccess } from '../../http/access/access.ts'
import type { ConfigChange } from '../contract.ts'
import { ifRevision, Revision } from './save.ts'
import { describeConfig, DESCRIPTIONS_KEY, type AuthState } from './meta.ts'
import { migrateConfig } from '../migrate.ts'
import { registerSectionRoutes, type SectionOwner } from './section-routes.ts'
import { saveInput } from './save.ts'
import type { RunningConfig } from '../service.ts'
import { ConfigUnavailableError } from '../contract.ts'

const SAVE_LIMIT_BYTES = 5 * 1024 * 1024
const HOOK_LIMIT_MS = 30_000

export interface ConfigRoutesDependencies {
  readonly config: RunningConfig
  /** Version of the service. */
  readonly version: string
  readonly log: Logger
  readonly authState: () => AuthState
  /** The plugin that owns a section. */
  readonly ownerOf?: (id: string) => SectionOwner | undefined
  readonly runningOperations: () => Promise<readonly RunningOperation[]>
  /** Copies the configuration and returns the path; null if there is nothing to copy. */
  readonly backup: (label: string) => Promise<string | null>
  /** Extra fields of a save's response, such as the watcher's state. */
  readonly afterSave?: (change: ConfigChange) => Promise<Readonly<Record<string, unknown>>>
}

const SESSION: RouteAccess = { auth: 'S', scope: 'admin' }

const Document = Type.Record(Type.String(), Type.Unknown())
const Input = Type.Object(
  { revision: Revision },
  { additionalProperties: true, description: 'Settings to merge, and `revision`, which is none.' },
)
const Paths = Type.Array(Type.String())
const Warnings = Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }))
const Nullable = Type.Union([Type.String(), Type.Null()])

const Meta = Type.Object({
  exists: Type.Boolean(),
  first_run: Type.Boolean(),
  autogen: Type.Boolean(),
  auth_configured: Type.Boolean(),
  auth_setup_required: Type.Boolean(),
  auth_reset_required: Type.Boolean(),
  auth_reset_deferred_to_upgrade: Type.Boolean(),
  setup_wizard_required: Type.Boolean(),
  current_version: Type.String(),
  config_version: Nullable,
  stored_config_version: Nullable,
  pending_upgrade_from_version: Nullable,
  needs_upgrade: Type.Boolean(),
  legacy_pre_070: Type.Boolean(),
  corrupt: Type.Optional(Type.Boolean()),
  ui: Type.Optional(Document),
  [DESCRIPTIONS_KEY]: Type.Optional(Type.Boolean()),
  path: Type.Optional(Type.String()),
  size: Type.Optional(Type.Integer()),
  mtime: Type.Optional(Type.String()),
  revision: Type.Optional(Type.String()),
})

const Saved = Type.Object(
  { ok: Type.Boolean(), config: Document, revision: Type.String(), ignored_paths: Paths, warnings: Warnings },
  { additionalProperties: true },
)

const Migrated = Type.Object(
  {
    ok: Type.Boolean(),
    backup: Nullable,
    from_version: Nullable,
    to_version: Type.String(),
    revision: Type.String(),
    forced_paths: Paths,
    resource_id_paths: Paths,
    profile_cleanup_paths: Paths,
    obsolete_paths: Paths,
  },
  { additionalProperties: true },
)

export function configRoutes(deps: ConfigRoutesDependencies): FastifyPluginAsync {
  const { config, version, log } = deps

  return async (app: FastifyInstance) => {
    registerSectionRoutes(app, { config, version, ownerOf: deps.ownerOf ?? (() => undefined) })

    app.get(
      '/api/config/meta',
      {
        config: { access: { auth: 'S', duringSetup: true, scope: 'admin' } },
        schema: { tags: ['Configuration'], summary: 'State of setup and version', response: { 200: Meta } },
      },
      async (request) =>
        await describeConfig({
          config,
          version,
          authState: deps.authState,
          signedIn: callerName(request.caller) !== null,
        }),
    )

    app.get(
      '/api/config',
      {
        config: { access: SESSION },
        schema: {
          tags: ['Configuration'],
          summary: 'The settings with defaults; secrets are masked',
          response: { 200: Document },
        },
      },
      async (request, reply) => {
        const { version: shown, text } = orNotShown(() => config.maskedText())
        // The revision is only in the header: a client that sends the document back must not request a conditional save
        // by accident.
        if (isNotModified(request, reply, shown)) return reply.send()
        return reply.type('application/json; charset=utf-8').send(text)
      },
    )

    app.post<{ Body: Static<typeof Input> }>(
      '/api/config',
      {
        bodyLimit: SAVE_LIMIT_BYTES,
        config: { access: SESSION },
        schema: {
          tags: ['Configuration'],
          summary: 'Save settings: merged into the stored ones',
          body: Input,
          response: { 200: Saved },
        },
      },
      async (request) => {
        const { revision, ...body } = request.body
        const { change, ignoredPaths, warnings } = await saveInput(config, body, {
          by: callerOf(request),
          version,
          ifRevision: ifRevision(request, revision),
        })
        const added = await afterSave(change)
        return {
          ...added,
          ok: true,
          config: orNotShown(() => config.masked()),
          revision: change.revision,
          ignored_paths: ignoredPaths,
          warnings,
        }
      },
    )

    app.post<{ Body: Static<typeof Input> | null }>(
      '/api/config/migrate',
      {
        config: { access: SESSION },
        schema: {
          tags: ['Configuration'],
          summary: 'Bring the settings to the running version',
          body: optionalBody(Input),
          response: { 200: Migrated },
        },
      },
      async (request) => {
        const operations = { runningOperations: limited(deps.runningOperations), backup: limited(deps.backup) }
        const { revision, ...overrides } = request.body ?? {}
        const result = await migrateConfig(
          { config, version, ...operations },
          { by: callerOf(request), overrides, ifRevision: ifRevision(request, revision) },
        )
        const { change, backup, fromVersion, toVersion, paths } = result
        const added = await afterSave(change)
        return {
          ...added,
          ok: true,
          backup,
          from_version: fromVersion,
          to_version: toVersion,
          revision: change.revision,
          ...paths,
        }
      },
    )
  }

  function orNotShown<Shown>(show: () => Shown): Shown {
    try {
      return show()
    } catch (error) {
      if (error instanceof ConfigUnavailableError) throw error
      log.error({ err: error }, 'the secrets of the configuration could not be masked')
      throw new PlayheadError('PLH_NOT_READY', 'The settings are not shown, because their secrets cannot be masked.', {
        wire: 'Config redaction unavailable',
        cause: error,
      })
    }
  }

  // The settings are already saved; failures here must not fail the request.
  async function afterSave(change: ConfigChange): Promise<Readonly<Record<string, unknown>>> {
    try {
      return await limited(deps.afterSave ?? (async () => ({})))(change)
    } catch (error) {
      log.error({ err: error }, 'a listener of saved configurations failed')
      return {}
    }
  }
}

function limited<Args extends readonly unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const late = (): PlayheadError => new PlayheadError('PLH_HOOK_TIMEOUT', 'A plugin did not respond in time.')
  return async (...args) => await withTimeLimit(work(...args), HOOK_LIMIT_MS, late)
}

function callerOf(request: FastifyRequest): string {
  return callerName(request.caller) ?? 'anonymous'
}

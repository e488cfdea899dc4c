// Registers the routes of the settings: overview, webhook profiles, watcher routes.
import {
  assertOnePerson,
  defined,
  householdOf,
  ownBaseUrl,
  type PluginApp,
  type SettingsChange,
  skipSerializer,
  type TObject,
  Type,
} from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import type { FastifyRequest } from 'fastify'
import type { AccessInput } from '../config/access.ts'
import {
  addRoute,
  changeRoute,
  cleanUp,
  disableProfile,
  merged,
  type Moment,
  removeRoute,
  renewProfile,
  saveProfile,
} from '../config/changes.ts'
import { makeEffective } from '../config/effective.ts'
import { readStored } from '../settings.ts'
import { checkValue, refuse } from '../config/field-errors.ts'
import { readSettingsInput } from '../config/settings-input.ts'
import { joinedBy } from '../config/usages.ts'
import type { Effective } from '../contract.ts'
import {
  DisableBody,
  OverviewAnswer,
  ProfileBody,
  ProfileNameBody,
  RouteBody,
  SavedAnswer,
  SettingsBody,
} from './answers.ts'
import { buildOverview } from './overview.ts'
import { isRunning } from './status.ts'
import { registerWatchRoutes, type RouteParts } from './watch.ts'

/** The parts of the running scrobbler that the routes need. */
interface RuntimeResult {
  readonly watcher_stopped?: true
  readonly watcher_reloaded?: true
  readonly watcher_reload_error?: 'watcher_reload_failed'
}

/** Shared, so that it is compiled once. */
const ANY_OBJECT = Type.Object({})
const Params = Type.Object({ route_id: Type.String({ maxLength: 200 }) })

export function registerScrobblerRoutes(app: PluginApp, parts: RouteParts): void {
  registerWatchRoutes(app, parts)

  app.get(
    '/api/scrobbler/overview',
    {
      ...skipSerializer,
      schema: { summary: 'Sources, routes and webhooks with their addresses', response: { 200: OverviewAnswer } },
    },
    async (request) => buildOverview(await parts.worlds.read(), parts.watchers.status(), ownBaseUrl(request.caller)),
  )

  const post = (
    path: string,
    summary: string,
    body: TObject | undefined,
    change: (body: unknown, moment: Moment) => SettingsChange,
  ) => app.post(path, { ...saved(app, summary, body) }, (request) => save(app, parts, request, change))

  post('/api/scrobbler/webhooks/profile', 'Creates or changes a webhook profile', ProfileBody, saveProfile)
  post(
    '/api/scrobbler/webhooks/profile/disable',
    'Switches a webhook profile off, or removes it or one of its trackers',
    DisableBody,
    disableProfile,
  )
  post(
    '/api/scrobbler/webhooks/profile/regenerate',
    'Makes a new address for a webhook profile; the old one is refused',
    ProfileNameBody,
    renewProfile,
  )
  post('/api/scrobbler/webhooks/cleanup-legacy', 'Removes addresses of the older form', undefined, (_body, moment) =>
    cleanUp(moment),
  )
  post('/api/scrobbler/routes', 'Creates a route', RouteBody, addRoute)
  post('/api/scrobbler/settings', 'Changes the general settings', SettingsBody, (body, moment) =>
    readSettingsInput(body, moment.current, moment),
  )

  app.put(
    '/api/scrobbler/routes/:route_id',
    { ...saved(app, 'Changes the given fields of a route', RouteBody, Params) },
    (request) => save(app, parts, request, (body, moment) => changeRoute(routeIdOf(request.params), body, moment)),
  )
  app.delete('/api/scrobbler/routes/:route_id', { ...saved(app, 'Removes a route', undefined, Params) }, (request) =>
    save(app, parts, request, (_body, moment) => removeRoute(routeIdOf(request.params), moment)),
  )
}

function saved(app: PluginApp, summary: string, body?: TObject, params?: TObject) {
  const schema = { summary, ...defined({ body, params }), response: { 200: SavedAnswer } }
  // The schema documents the body, which must be an object. Handlers report invalid fields with codes.
  const validatorCompiler: NonNullable<PluginApp['validatorCompiler']> = (route) => {
    const known = app.validatorCompiler as NonNullable<PluginApp['validatorCompiler']>
    return known(route.httpPart === 'body' ? { ...route, schema: ANY_OBJECT } : route)
  }
  return { ...skipSerializer, schema, validatorCompiler }
}

/** Stores a change and responds with the new overview. */
async function save(
  app: PluginApp,
  { worlds, watchers }: RouteParts,
  { body: sent, caller }: FastifyRequest,
  change: (body: unknown, moment: Moment) => SettingsChange,
) {
  const { isConfirmed, body } = readConfirmation(sent)
  const [before, persons] = await Promise.all([worlds.read(), householdOf(app.playhead)])
  const wasRunning = watchers.status().some(isRunning)
  await app.playhead.updateConfig((stored) => {
    const { accounts, descriptions } = before
    const current = readStored(stored)
    const made = change(body, { accounts, descriptions, current, stored })
    // As JSON, because undefined removes a member.
    const after = readStored(JSON.parse(JSON.stringify(merged(stored, made))))
    assertOnePerson(persons, joinedBy(after, before), isConfirmed, joinedBy(current, before))
    return made
  })
  const { world, failed } = await refreshed(app, worlds, before)
  const result = failed
    ? ({ watcher_reload_error: 'watcher_reload_failed' } as const)
    : resultOf(before.effective, world.effective, wasRunning, watchers.status().some(isRunning))
  return { ...buildOverview(world, watchers.status(), ownBaseUrl(caller)), runtime_result: result }
}

// The change is stored, so the response is not an error.
async function refreshed(app: PluginApp, worlds: RouteParts['worlds'], before: AccessInput) {
  try {
    return { world: await worlds.refresh(), failed: false }
  } catch (error) {
    app.playhead.log.error({ err: error }, 'the watchers could not follow changed settings')
    const settings = readStored(app.playhead.config)
    const effective = makeEffective(settings, before.accounts, before.descriptions)
    return { world: { ...before, settings, effective }, failed: true }
  }
}

function resultOf(before: Effective, after: Effective, wasRunning: boolean, isNowRunning: boolean): RuntimeResult {
  if (watchedBy(before) === watchedBy(after)) return {}
  if (isNowRunning) return { watcher_reloaded: true }
  return wasRunning ? { watcher_stopped: true } : {}
}

function watchedBy({ sources, autostart, lanes }: Effective): string {
  return JSON.stringify([sources.watcher, autostart, lanes.filter(({ method }) => method === 'watcher')])
}

/** The body without `across_persons`. */
function readConfirmation(sent: unknown) {
  if (!isRecord(sent)) return { isConfirmed: false, body: sent }
  const { across_persons: across, ...body } = sent
  const errors = checkValue('across_persons', Type.Boolean(), across)
  if (errors.length > 0) throw refuse(errors)
  return { isConfirmed: across === true, body }
}

function routeIdOf(params: unknown): string {
  return String((params as { readonly route_id?: unknown }).route_id ?? '')
}

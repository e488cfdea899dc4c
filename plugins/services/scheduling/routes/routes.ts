// Routes to read and change the schedule, and to start its jobs.
import {
  assertScope,
  skipSerializer,
  optionalBody,
  type PluginApp,
  type TObject,
  type TSchema,
  Type,
} from '@playhead/sdk'
import { ConfigAnswer, NextAnswer, SavedAnswer, StatusAnswer } from './answers.ts'
import { normalizeScheduling } from '../plan/normalize.ts'
import type { Parts } from '../parts.ts'
import { SchedulingConfig, URL_FIELDS } from '../settings.ts'
import { trigger, TriggerBody } from './trigger.ts'
import { maskedConfig, nextOf, statusOf, type StatusView } from './view.ts'

const Flag = Type.Boolean()
const Count = Type.Integer()
const Text = Type.String({ maxLength: 2_000 })
const URL_OR_NONE = Type.Union([Text, Type.Null()])
const CHANNEL = Type.Union([Type.String({ maxLength: 40 }), Type.Integer()])

interface Title {
  readonly title?: string
  readonly minProperties?: number
}

const isObject = (schema: TSchema): schema is TObject => schema['type'] === 'object'

/** The members that an object may have, of any type. */
function namesOf({ properties }: TObject): TObject {
  const one = (schema: TSchema): TSchema => {
    if (isObject(schema)) return namesOf(schema)
    const items = schema['items'] as TSchema | undefined
    return items !== undefined && isObject(items) ? Type.Array(namesOf(items)) : Type.Unknown()
  }
  return optional(properties, (_name, schema) => one(schema))
}

/** The members that an object may have, of the type of the setting. */
function typesOf({ properties }: TObject, options: Title = {}): TObject {
  const one = (name: string, schema: TSchema): TSchema => {
    if (isObject(schema)) return typesOf(schema)
    if (schema['type'] === 'array') return Type.Array(namesOf(schema['items'] as TObject), { maxItems: 500 })
    if (schema['secret'] === true) return URL_OR_NONE
    if (name === 'notifiarr_channel_id') return CHANNEL
    return schema['type'] === 'boolean' ? Flag : schema['type'] === 'integer' ? Count : Text
  }
  return optional(properties, one, options)
}

function optional(
  properties: TObject['properties'],
  one: (name: string, schema: TSchema) => TSchema,
  options: Title = {},
): TObject {
  const members = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(one(name, schema))] as const)
  return Type.Object(Object.fromEntries(members), { ...options, additionalProperties: false })
}

/**
 * Validates names and types: numbers are clamped, and unknown words become defaults. The body replaces all settings, so a misspelled
 * name would remove the intended setting.
 */
const ConfigBody = typesOf(SchedulingConfig, { minProperties: 1, title: 'SchedulerSettingsRequest' })

export function registerRoutes(app: PluginApp, parts: Parts): void {
  const { scheduler, sync, workers, config, seen: view, warnings, offByDefault } = parts
  const status = async (): Promise<StatusView> => statusOf(await view(), await warnings())

  app.get(
    '/api/scheduling',
    { ...skipSerializer, schema: { summary: 'The settings of the scheduling', response: { 200: ConfigAnswer } } },
    () => maskedConfig(config()),
  )

  app.post(
    '/api/scheduling',
    {
      ...skipSerializer,
      schema: { summary: 'Replaces the settings of the scheduling', body: ConfigBody, response: { 200: SavedAnswer } },
    },
    async (request) => {
      const off = await offByDefault()
      await app.playhead.updateConfig((stored) => {
        const wanted = replacing(withDefaults(request.body, off), stored)
        if (JSON.stringify(wanted.webhooks) !== JSON.stringify(normalizeScheduling(stored).webhooks))
          assertScope(request.caller, 'admin', 'To change where reports are sent')
        return { ...wanted }
      })
      await scheduler.resume()
      const { next_run_at } = nextOf(await view())
      const masked = maskedConfig(config())
      return { ...masked, ok: true, next_run_at, config: masked }
    },
  )

  app.get(
    '/api/scheduling/status',
    {
      ...skipSerializer,
      schema: { summary: 'State of the scheduling and its last start', response: { 200: StatusAnswer } },
    },
    async () => {
      return { ok: true, ...(await status()) }
    },
  )

  app.get(
    '/api/scheduling/next',
    { ...skipSerializer, schema: { summary: 'Upcoming starts', response: { 200: NextAnswer } } },
    async () => {
      const seen = await view()
      return { ok: true, ...nextOf(seen), config: maskedConfig(seen.config) }
    },
  )

  app.post(
    '/api/scheduling/replan_now',
    {
      ...skipSerializer,
      schema: { summary: 'Plan again, and resume if the scheduling was stopped', response: { 200: StatusAnswer } },
    },
    async () => {
      await scheduler.resume()
      return { ok: true, ...(await status()) }
    },
  )

  app.post(
    '/api/scheduling/trigger_now',
    {
      ...skipSerializer,
      schema: {
        summary: 'Starts a run, a job, a capture or a backup now',
        body: optionalBody(TriggerBody),
        response: { 200: StatusAnswer },
      },
    },
    async (request, reply) => {
      const { signal } = app.playhead
      const body = (request.body ?? {}) as TriggerBody
      if (body.allow_mass_delete === true || body.confirm_mirror === true)
        assertScope(request.caller, 'write', 'To approve removals that were held')
      // These jobs may also delete older captures or backups.
      if (body.capture !== undefined || body.backup !== undefined)
        assertScope(request.caller, 'write', 'To make a capture or a backup')
      const { status: code, ...outcome } = await trigger(body, { config, sync, workers, signal })
      const shown = { ...outcome, ...(await status()) }
      return reply
        .status(code as 200)
        .send(code === 200 ? { ok: true, ...shown } : { ok: false, error: outcome.reason, ...shown })
    },
  )

  app.post(
    '/api/scheduling/stop',
    {
      ...skipSerializer,
      schema: { summary: 'Stop until the settings are saved or planned again', response: { 200: StatusAnswer } },
    },
    async () => {
      await scheduler.pause()
      return { ok: true, stopped: true, ...(await status()) }
    },
  )
}

/** Captures of services whose terms discourage them are enabled only by an explicit request. */
function withDefaults(body: unknown, off: ReadonlySet<string>): unknown {
  const { advanced } = body as { readonly advanced?: { readonly capture_jobs?: unknown } }
  const jobs = advanced?.capture_jobs
  if (off.size === 0 || !Array.isArray(jobs)) return body
  const isOff = (job: { readonly provider?: unknown } | null) => off.has(String(job?.provider ?? '').toUpperCase())
  const capture_jobs = (jobs as unknown[]).map((job) =>
    isOff(job as never) ? { active: false, ...(job as object) } : job,
  )
  return { ...(body as object), advanced: { ...advanced, capture_jobs } }
}

/** The complete settings from a request; a masked URL keeps the stored one. */
export function replacing(body: unknown, stored: unknown): SchedulingConfig {
  const wanted = normalizeScheduling(body)
  const given = (body as { readonly webhooks?: Readonly<Record<string, unknown>> } | null)?.webhooks ?? {}
  const known = normalizeScheduling(stored).webhooks
  const kept = URL_FIELDS.flatMap((name) => {
    const value = given[name]
    return typeof value === 'string' && /^[*•]{3,}$/.test(value.trim()) ? [[name, known[name]] as const] : []
  })
  return { ...wanted, webhooks: { ...wanted.webhooks, ...Object.fromEntries(kept) } }
}

// Routes to read and change the schedule, and to start its jobs.
import {
  assertScope,
  skipSerializer,
  optionalBody,
  orNull,
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

/** The form of a request for settings. In the rows of a list, only the names are checked. */
function bodyOf(schema: TSchema, name = '', isRow = false): TSchema {
  const { type, properties, items, secret } = schema as {
    items?: TSchema
    properties?: TObject['properties']
  } & TSchema
  if (properties !== undefined) {
    const members = Object.entries(properties).map(
      ([key, one]) => [key, Type.Optional(bodyOf(one, key, isRow))] as const,
    )
    return Type.Object(Object.fromEntries(members), { additionalProperties: false })
  }
  if (items?.['type'] === 'object') return Type.Array(bodyOf(items, name, true), isRow ? {} : { maxItems: 500 })
  if (isRow) return Type.Unknown()
  if (name === 'notifiarr_channel_id') return Type.Union([Type.String({ maxLength: 40 }), Type.Integer()])
  const text = Type.String({ maxLength: 2_000 })
  if (secret === true) return orNull(text)
  return type === 'boolean' ? Type.Boolean() : type === 'integer' ? Type.Integer() : text
}

/**
 * Validates names and types: numbers are clamped, and unknown words become defaults. The body replaces all settings, so a misspelled
 * name would remove the intended setting.
 */
const ConfigBody = { ...bodyOf(SchedulingConfig), minProperties: 1, title: 'SchedulerSettingsRequest' }

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

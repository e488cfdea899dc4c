// Routes that change positions and mark titles as watched.
import {
  AcrossPersons,
  assertOnePerson,
  oneOf,
  PlayheadError,
  type PluginApp,
  skipSerializer,
  type Static,
  Type,
} from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { OPERATIONS } from '../act/abilities.ts'
import type { Result } from '../act/actions.ts'
import type { Order } from '../act/task.ts'
import { nowText } from '../act/account-writes.ts'
import { MAX_TARGETS, readTargets } from '../act/targets.ts'
import { ActionAnswer, type ActionResult, BulkAnswer } from '../answers.ts'
import type { Parts } from '../parts.ts'

const Name = Type.Optional(Type.String({ maxLength: 200 }))
const Target = {
  provider: Name,
  instance_id: Type.Optional(Type.String({ maxLength: 200, description: 'Default: default.' })),
  remote_id: Type.Optional(
    Type.Union([Type.String({ maxLength: 500 }), Type.Integer()], {
      description: 'Id of the position, as in the list.',
    }),
  ),
  record: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'The item of the list; only its names are used.' }),
  ),
}
const Targets = {
  ...Target,
  across_persons: AcrossPersons,
  items: Type.Optional(
    Type.Array(Type.Object(Target, { additionalProperties: true }), {
      minItems: 1,
      maxItems: MAX_TARGETS,
      description: 'Several positions; default for each: provider and instance_id of the body.',
    }),
  ),
}
const open = { additionalProperties: true }
const Percent = Type.Number({ minimum: 0, maximum: 100 })
const RemoveBody = Type.Object(Targets, open)
const WatchedBody = Type.Object(
  { ...Targets, watched_at: Type.Optional(Type.String({ maxLength: 64, description: 'ISO 8601; default: now.' })) },
  open,
)
const UpdateBody = Type.Object({ ...Targets, progress_percent: Percent }, open)
const BulkBody = Type.Object(
  {
    ...Targets,
    items: Type.Array(Type.Object(Target, open), { minItems: 1, maxItems: MAX_TARGETS }),
    action: oneOf(OPERATIONS),
    progress_percent: Type.Optional(Percent),
    watched_at: WatchedBody.properties.watched_at,
  },
  open,
)

/** Clocks of clients may be ahead by this much. */
const AHEAD_MS = 60_000

export function registerActionRoutes(app: PluginApp, { act, persons }: Parts): void {
  async function targetsOf(body: Readonly<Record<string, unknown>>) {
    const wanted = readTargets(body)
    assertOnePerson(await persons(), [wanted.targets], body['across_persons'] === true)
    return wanted
  }

  function register<Body>(path: string, summary: string, body: object, orderOf: (body: Body) => Order): void {
    app.post(
      `/api/playback_progress/actions/${path}`,
      { ...skipSerializer, schema: { summary, body, response: { 200: ActionAnswer } } },
      async (request, reply) => {
        const order = orderOf(request.body as Body)
        const { targets, isSingle } = await targetsOf(request.body as Readonly<Record<string, unknown>>)
        const results = await act(order, targets)
        const answer = summaryOf(results)
        if (!isSingle) return { ok: answer.failed === 0, ...answer }
        const { http, ...first } = results[0] as Result
        const error = first.error_code === undefined ? {} : { error: first.error_code, detail: first.message }
        return reply.code(http as 200).send({ ...first, ...error, ...answer })
      },
    )
  }

  register<Static<typeof RemoveBody>>('remove', 'Remove positions', RemoveBody, () => ({
    operation: 'remove_progress',
  }))
  register<Static<typeof WatchedBody>>('mark_watched', 'Mark as watched', WatchedBody, ({ watched_at: at }) => ({
    operation: 'mark_watched',
    ...watchedAtOf(at),
  }))
  register<Static<typeof UpdateBody>>(
    'update_progress',
    'Set positions',
    UpdateBody,
    ({ progress_percent: percent }) => ({ operation: 'update_progress', percent }),
  )

  app.post(
    '/api/playback_progress/actions/bulk',
    { ...skipSerializer, schema: { summary: 'Change many positions', body: BulkBody, response: { 200: BulkAnswer } } },
    async (request) => {
      const { action, progress_percent: percent, watched_at: at } = request.body as Static<typeof BulkBody>
      if (action === 'update_progress' && percent === undefined)
        throw new PlayheadError('PLH_INVALID', 'Send the position as progress_percent.', { wire: 'invalid_progress' })
      const order: Order = {
        operation: action,
        ...(action === 'update_progress' ? { percent: percent as number } : {}),
        ...(action === 'mark_watched' ? watchedAtOf(at) : {}),
      }
      const { targets } = await targetsOf(request.body as Readonly<Record<string, unknown>>)
      return summaryOf(await act(order, targets))
    },
  )
}

/** Throws `PLH_INVALID` (`invalid_watched_at`) for an invalid or future time. */
function watchedAtOf(text: string | undefined): Pick<Order, 'watchedAt'> {
  if (text === undefined) return {}
  const time = parseTime(text)
  if (time === undefined || time.precision === 'date' || time.atMs > Date.now() + AHEAD_MS)
    throw new PlayheadError('PLH_INVALID', 'watched_at must be an ISO time with a time zone, in the past.', {
      wire: 'invalid_watched_at',
    })
  return { watchedAt: nowText(time.atMs) }
}

function summaryOf(results: readonly Result[]) {
  return {
    results: results.map(({ http: _http, ...result }): ActionResult => result),
    successful: results.filter(({ ok }) => ok).length,
    failed: results.filter(({ ok }) => !ok).length,
    skipped: results.filter(({ status }) => status === 'skipped').length,
    unsupported: results.filter(({ error_code: code }) => code === 'unsupported').length,
  }
}

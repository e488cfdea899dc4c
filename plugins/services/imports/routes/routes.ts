// Routes to upload, preview, match, run, undo and delete imports.
import {
  AcrossPersons,
  assertOnePerson,
  clientSignal,
  defined,
  type ImportFeature,
  type Logger,
  oneOf,
  orNull,
  namedAccount,
  PlayheadError,
  type PluginApp,
  readUploads,
  savedUpload,
  skipSerializer,
  sleep,
  Type,
  UPLOADED_FILE,
} from '@playhead/sdk'
import { foldText, normaliseId, parseTime, schemeOf, searchWords } from '@playhead/sdk/items'
import { randomUUID } from 'node:crypto'
import type { Parts } from '../parts.ts'
import { completeChoice, withSuggestions } from '../suggestions.ts'
import type { Choice, Decision } from '../thread/choose.ts'
import { headOf, isOutdated, requireIdle, requireImport, viewOf } from '../view.ts'
import { DeletedAnswer, FormatsAnswer, ImportAnswer, ImportsAnswer, RowsAnswer, TitlesAnswer } from './answers.ts'

const DAY_MS = 86_400_000
const MAX_BYTES = 64 * 1024 * 1024
const WAIT_MS = 10_000
// In write order: a play removes its title from watchlists and ends positions.
const FEATURES = ['history', 'ratings', 'progress', 'watchlist'] as const
const STATES = ['matched', 'ambiguous', 'unmatched'] as const
const PLANS = ['add', 'update', 'already', 'conflict', 'duplicate', 'unsupported', 'unmatched', 'done'] as const

const Name = Type.String({ maxLength: 200 })
const Params = Type.Object({ import_id: Type.String({ minLength: 1, maxLength: 64 }) })
const Page = {
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Words in titles, year and ids.' })),
}
const RowsQuery = Type.Object({
  ...Page,
  limit: Type.Integer({ default: 100, minimum: 1, maximum: 1_000 }),
  feature: Type.Optional(oneOf(FEATURES)),
  state: Type.Optional(oneOf(STATES)),
  plan: Type.Optional(oneOf(PLANS)),
  title: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
})
const TitlesQuery = Type.Object({
  ...Page,
  limit: Type.Integer({ default: 20, minimum: 1, maximum: 50 }),
  open: Type.Boolean({ default: false, description: 'Only those without a choice.' }),
})
const WorkChoice = Type.Object({
  type: oneOf(['movie', 'show']),
  ids: Type.Record(Type.String({ maxLength: 20 }), Type.Union([Type.String({ maxLength: 100 }), Type.Integer()])),
  title: Type.Optional(Type.String({ maxLength: 500 })),
  year: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 9999 }))),
})
const ChoicesBody = Type.Object({
  choices: Type.Array(
    Type.Object({
      title: Type.Integer({ minimum: 0, maximum: 10_000_000 }),
      choice: Type.Union([WorkChoice, Type.Literal('skip'), Type.Null()], {
        description: 'A work; `skip`, to leave its rows out; null, to take a choice back.',
      }),
    }),
    { minItems: 1, maxItems: 200 },
  ),
})
const RunBody = Type.Object(
  {
    import_id: Type.String({ minLength: 1, maxLength: 64 }),
    provider: Type.String({ minLength: 1, maxLength: 200 }),
    provider_instance: Type.Optional(Name),
    features: Type.Optional(Type.Array(oneOf(FEATURES), { maxItems: 4 })),
    ratings: oneOf(['newer', 'keep', 'file'], 'newer'),
    undated_as: Type.Optional(
      orNull(
        Type.String({
          pattern: '^\\d{4}-\\d{2}-\\d{2}$',
          description: 'A day for plays without a time; without it they are left out.',
        }),
      ),
    ),
    person: Type.Optional(
      orNull(Type.String({ maxLength: 2_000, description: 'Required if the file is of several people.' })),
    ),
    approved: Type.Boolean({
      default: false,
      description: 'An account that shows suspiciously few rows is written to.',
    }),
    across_persons: AcrossPersons,
    dry_run: Type.Boolean({ default: false, description: 'Only compare; /rows lists the rows that would be written.' }),
  },
  { title: 'ImportRunRequest' },
)

interface RunRequest {
  readonly import_id: string
  readonly provider: string
  readonly provider_instance?: string
  readonly features?: readonly ImportFeature[]
  readonly ratings: 'keep' | 'file' | 'newer'
  readonly undated_as?: string | null
  readonly person?: string | null
  readonly approved: boolean
  readonly across_persons?: boolean
  readonly dry_run: boolean
}

interface ChoiceRequest {
  readonly title: number
  readonly choice:
    | 'skip'
    | null
    | {
        readonly type: 'movie' | 'show'
        readonly ids: Readonly<Record<string, string | number>>
        readonly title?: string
        readonly year?: number | null
      }
}

type OfImport = { Params: { import_id: string } }

export function registerRoutes(app: PluginApp, parts: Parts, log: Logger): void {
  const { work, jobs } = parts
  readUploads(app, {
    '/api/import/preview': {
      maxBytes: MAX_BYTES,
      async save(source, name) {
        const uploadId = randomUUID()
        try {
          for await (const chunk of source) await work.receive(uploadId, chunk)
        } catch (error) {
          await work.forget(uploadId)
          throw error
        }
        return { uploadId, name }
      },
      discard: (upload) => work.forget((upload as { uploadId: string }).uploadId),
    },
  })

  app.get(
    '/api/import/formats',
    { ...skipSerializer, schema: { summary: 'Formats that can be read', response: { 200: FormatsAnswer } } },
    async () => ({
      ok: true,
      max_bytes: MAX_BYTES,
      formats: (await parts.formats()).map(({ description }) => description),
    }),
  )

  app.get(
    '/api/import',
    { ...skipSerializer, schema: { summary: 'Imports, newest first', response: { 200: ImportsAnswer } } },
    async () => {
      let all = await work.list()
      if (isOutdated(parts, all)) all = await work.list()
      return { ok: true, imports: all.map((one) => headOf(parts, one)) }
    },
  )

  app.post<{ Querystring: { format?: string } }>(
    '/api/import/preview',
    {
      ...skipSerializer,
      schema: {
        summary: 'Read a file',
        description: 'The part `file` of a `multipart/form-data` body, at most 64 MiB.',
        takes: UPLOADED_FILE,
        querystring: Type.Object({
          format: Type.Optional(Type.String({ maxLength: 40, description: 'Without it, the format is recognised.' })),
        }),
        response: { 200: ImportAnswer },
      },
    },
    async (request) => {
      const { uploadId, name } = savedUpload<{ uploadId: string; name: string }>(request)
      const id = randomUUID()
      try {
        const modules = await parts.modules()
        const format = request.query.format ?? null
        const signal = clientSignal(request)
        await parts.turns(() => work.preview({ id, uploadId, name, format, modules, nowMs: Date.now() }, signal))
      } finally {
        await work.forget(uploadId)
      }
      return viewOf(parts, id)
    },
  )

  app.get<OfImport>(
    '/api/import/:import_id',
    { ...skipSerializer, schema: { summary: 'State of an import', params: Params, response: { 200: ImportAnswer } } },
    ({ params }) => viewOf(parts, params.import_id),
  )

  app.delete<OfImport>(
    '/api/import/:import_id',
    {
      ...skipSerializer,
      schema: { summary: 'Delete what was read from a file', params: Params, response: { 200: DeletedAnswer } },
    },
    async ({ params }) => {
      await requireImport(parts, params.import_id)
      requireIdle(parts, params.import_id)
      await parts.remove(params.import_id)
      return { ok: true, import_id: params.import_id }
    },
  )

  app.get<OfImport & { Querystring: RowsRequest }>(
    '/api/import/:import_id/rows',
    {
      ...skipSerializer,
      schema: { summary: 'Rows of an import', params: Params, querystring: RowsQuery, response: { 200: RowsAnswer } },
    },
    async ({ params, query: { feature = null, state = null, plan = null, title = null, q, offset, limit } }) => {
      await requireImport(parts, params.import_id)
      const query = { feature, state, plan, title, words: searchWords(q), offset, limit }
      return { ok: true, offset, limit, ...(await work.rows(params.import_id, query)) }
    },
  )

  app.get<OfImport & { Querystring: { open: boolean; q?: string; offset: number; limit: number } }>(
    '/api/import/:import_id/titles',
    {
      ...skipSerializer,
      schema: {
        summary: 'Titles without ids, with suggestions',
        params: Params,
        querystring: TitlesQuery,
        response: { 200: TitlesAnswer },
      },
    },
    async ({ params, query: { open, q, offset, limit } }) => {
      await requireImport(parts, params.import_id)
      const { total, titles } = await work.titles(params.import_id, { open, words: searchWords(q), offset, limit })
      const isReady =
        (await parts
          .metadata()
          ?.ready()
          .catch(() => false)) ?? false
      return {
        ok: true,
        total,
        offset,
        limit,
        metadata_ready: isReady,
        titles: await withSuggestions(parts, params.import_id, titles, log),
      }
    },
  )

  app.post<OfImport & { Body: { choices: readonly ChoiceRequest[] } }>(
    '/api/import/:import_id/choices',
    {
      ...skipSerializer,
      schema: {
        summary: 'Match titles with works',
        params: Params,
        body: ChoicesBody,
        response: { 200: ImportAnswer },
      },
    },
    async ({ params, body }) => {
      const id = params.import_id
      await requireImport(parts, id)
      requireIdle(parts, id)
      const decisions = await decisionsOf(parts, id, body.choices, log)
      // Suggestions are searched for a limited time.
      requireIdle(parts, id)
      await work.decide(id, decisions)
      return viewOf(parts, id)
    },
  )

  app.post<{ Body: RunRequest }>(
    '/api/import/run',
    {
      ...skipSerializer,
      schema: {
        summary: 'Write an import to an account',
        body: RunBody,
        response: { 200: ImportAnswer, 202: ImportAnswer },
      },
    },
    async ({ body }, reply) => {
      const { done } = jobs.run(await orderOf(parts, body))
      return settled(body.import_id, done, (code) => void reply.code(code))
    },
  )

  app.post<OfImport>(
    '/api/import/:import_id/undo',
    {
      ...skipSerializer,
      schema: {
        summary: 'Undo what an import wrote',
        params: Params,
        response: { 200: ImportAnswer, 202: ImportAnswer },
      },
    },
    async ({ params }, reply) => {
      const { run } = await requireImport(parts, params.import_id)
      if (run === null || run.plan_ids.length === 0)
        throw new PlayheadError('PLH_CONFLICT', 'This import wrote nothing, so there is nothing to undo.', {
          wire: 'nothing_to_undo',
        })
      const { done } = jobs.undo(params.import_id, run)
      return settled(params.import_id, done, (code) => void reply.code(code))
    },
  )

  app.post<OfImport>(
    '/api/import/:import_id/cancel',
    {
      ...skipSerializer,
      schema: {
        summary: 'Stop a running import',
        description: 'Written rows stay. Run the import again to continue, or undo it.',
        params: Params,
        response: { 200: ImportAnswer, 202: ImportAnswer },
      },
    },
    async ({ params }, reply) => {
      await requireImport(parts, params.import_id)
      const job = jobs.cancel(params.import_id)
      if (job === undefined)
        throw new PlayheadError('PLH_CONFLICT', 'This import is not running.', { wire: 'not_running' })
      return settled(params.import_id, job.done, (code) => void reply.code(code))
    },
  )

  /** Longer runs are answered with 202 and continue. */
  async function settled(id: string, done: Promise<void>, code: (status: number) => void) {
    const limit = new AbortController()
    const isDone = await Promise.race([done.then(() => true), sleep(WAIT_MS, limit.signal).then(() => false)]).finally(
      () => limit.abort(),
    )
    if (!isDone) code(202)
    return { ...(await viewOf(parts, id)), ...(isDone ? {} : { accepted: true }) }
  }
}

interface RowsRequest {
  readonly feature?: string
  readonly state?: string
  readonly plan?: string
  readonly title?: number
  readonly q?: string
  readonly offset: number
  readonly limit: number
}

async function decisionsOf(
  parts: Parts,
  id: string,
  choices: readonly ChoiceRequest[],
  log: Logger,
): Promise<readonly Decision[]> {
  const known = new Map(
    (
      await parts.work.titlesByNumber(
        id,
        choices.map(({ title }) => title),
      )
    ).map((one) => [one.title, one]),
  )
  const decisions: Decision[] = []
  for (const { title, choice } of choices) {
    const found = known.get(title)
    if (found === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', `The import has no title ${title}.`, { wire: 'unknown_title' })
    if (choice === null || choice === 'skip') {
      decisions.push({ title, choice })
      continue
    }
    const ids = Object.fromEntries(
      Object.entries(choice.ids).flatMap(([name, value]) => {
        const scheme = schemeOf(name)
        const own = scheme === undefined ? undefined : normaliseId(scheme, value)
        return own === undefined ? [] : [[scheme, own]]
      }),
    )
    if (Object.keys(ids).length === 0)
      throw new PlayheadError('PLH_INVALID', 'A choice needs a valid ID: tmdb, imdb or tvdb.', {
        wire: 'invalid_choice',
      })
    const own: Choice = { type: choice.type, ids, ...defined({ title: choice.title, year: choice.year ?? undefined }) }
    decisions.push({ title, ...(await completeChoice(parts, id, title, own, log)) })
  }
  return decisions
}

async function orderOf(parts: Parts, body: RunRequest) {
  const found = await requireImport(parts, body.import_id)
  const { account, description } = await namedAccount(parts.accounts, body.provider, body.provider_instance)
  if (!account.configured)
    throw new PlayheadError('PLH_CONFLICT', `${description.label} is not signed in.`, { wire: 'not_configured' })
  const { rows, persons } = await parts.work.counts(found.id)
  if (rows.length === 0)
    throw new PlayheadError('PLH_INVALID', 'The file contains nothing to import.', { wire: 'nothing_to_import' })
  const held = new Set(rows.map(({ feature }) => feature))
  const wanted = FEATURES.filter((feature) => held.has(feature) && (body.features ?? FEATURES).includes(feature))
  const features = wanted.filter((feature) => {
    const support = description.features[feature]
    return support?.read === true && support.add
  })
  if (features.length === 0)
    throw new PlayheadError('PLH_UNSUPPORTED', `${description.label} can take nothing of this file.`, {
      wire: 'unsupported_feature',
      details: { features: wanted },
    })
  const names = persons.map(({ person }) => person)
  const person = body.person ?? (names.length === 1 ? names[0]! : null)
  if (names.length > 1 && person === null)
    throw new PlayheadError('PLH_CONFLICT', 'The file contains the data of several people. Send one as "person".', {
      wire: 'person_required',
      details: { persons: names },
    })
  if (person !== null && names.length > 0 && !names.includes(person))
    throw new PlayheadError('PLH_NOT_FOUND', 'This person is not in the file.', { wire: 'unknown_person' })
  if (!body.dry_run) {
    const household = await parts.persons()
    const named =
      names.length === 0 ? undefined : household.find((one) => foldText(one.name) === foldText(person ?? ''))
    const joined = [account, ...(found.run?.written ?? []), ...(named?.accounts ?? [])]
    assertOnePerson(household, [joined], body.across_persons)
  }
  const undatedAs = body.undated_as ?? null
  const undatedMs = undatedAs === null ? 0 : (parseTime(undatedAs)?.atMs ?? Infinity)
  // Today may be tomorrow in UTC.
  if (undatedMs > Date.now() + DAY_MS)
    throw new PlayheadError('PLH_INVALID', '"undated_as" is no day, or one that is still to come.', {
      wire: 'invalid_undated_as',
    })
  return {
    importId: found.id,
    account,
    description,
    features,
    ratings: body.ratings,
    undatedAs,
    person: names.length === 0 ? null : person,
    approved: body.approved,
    dryRun: body.dry_run,
  }
}

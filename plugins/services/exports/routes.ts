// Routes for export options, previews and files.
import { type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { exportDate } from '@playhead/sdk/exporter'
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { FileAnswer, OptionsAnswer, SampleAnswer } from './answers.ts'
import { optionsOf } from './options.ts'
import type { Parts } from './parts.ts'
import { type Chosen, choose, type ExportQuery } from './selection.ts'
import { sampleOf } from './sample.ts'
import { splitFile } from './split.ts'
import { fileText } from './write.ts'

const BODY_BYTES = 16 * 1024 * 1024
const Names = Type.Union([
  Type.Array(Type.String({ maxLength: 600 }), { maxItems: 1_000 }),
  Type.String({ maxLength: 20_000 }),
])
const Selection = {
  provider: Type.Optional(Type.String({ maxLength: 200, description: 'Id or token of the provider.' })),
  provider_instance: Type.Optional(Type.String({ maxLength: 200, description: 'A profile, or all (default).' })),
  feature: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'watchlist (default), history, ratings, combined; progress and all as JSON.',
    }),
  ),
  format: Type.Optional(Type.String({ maxLength: 200, description: 'Default letterboxd.' })),
  media_types: Type.Optional(
    Type.Unsafe<string | readonly string[]>({ ...Names, description: 'movie, show, season, episode. Default: all.' }),
  ),
  include_watched_date: Type.Boolean({ default: true }),
  include_rewatches: Type.Boolean({ default: true, description: 'Otherwise only the latest play of an item.' }),
  spreadsheet: Type.Boolean({ default: false, description: 'Cells that begin like a formula get an apostrophe.' }),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Zone whose days the file has, as Europe/Berlin. Default: the setting.',
    }),
  ),
  q: Type.Optional(Type.String({ maxLength: 500, description: 'Words in key, title, year, show and ids.' })),
}
// A misspelled parameter, such as `types`, must not export other data than intended.
const strict = { additionalProperties: false }
const SampleQuery = Type.Object(
  { ...Selection, limit: Type.Integer({ default: 25, minimum: 1, maximum: 250 }) },
  strict,
)
const File = {
  ...Selection,
  split: Type.Boolean({ default: false, description: 'A ZIP archive of parts that the other side accepts.' }),
}
const FileQuery = Type.Object(
  {
    ...File,
    ids: Type.Optional(
      Type.Unsafe<string | readonly string[]>({
        ...Names,
        description: 'Only rows with these keys: separated by commas, or repeated. Overrides q.',
      }),
    ),
  },
  strict,
)
const FileBody = Type.Object(
  { ...File, ids: Type.Optional(Type.Array(Type.String({ maxLength: 600 }), { maxItems: 200_000 })) },
  { title: 'ExportRequest', ...strict },
)

type FileQuery = ExportQuery & { readonly split: boolean }

export function registerRoutes(app: PluginApp, parts: Parts): void {
  app.get(
    '/api/export/options',
    {
      ...skipSerializer,
      schema: { summary: 'Accounts, features and formats that can be exported', response: { 200: OptionsAnswer } },
    },
    () => optionsOf(parts),
  )

  app.get<{ Querystring: ExportQuery & { readonly limit: number } }>(
    '/api/export/sample',
    {
      ...skipSerializer,
      schema: { summary: 'Preview the content of a file', querystring: SampleQuery, response: { 200: SampleAnswer } },
    },
    async ({ query }) => sampleOf(parts, await choose(parts, query, Date.now()), query.limit),
  )

  const file = { ...skipSerializer, bodyLimit: BODY_BYTES }
  app.get<{ Querystring: FileQuery }>(
    '/api/export/file',
    { ...file, schema: { summary: 'Export a file', querystring: FileQuery, response: { 200: FileAnswer } } },
    ({ query }, reply) => sendFile(parts, query, reply),
  )
  app.post<{ Body: FileQuery }>(
    '/api/export/file',
    {
      ...file,
      schema: { summary: 'Export a file of many chosen rows', body: FileBody, response: { 200: FileAnswer } },
    },
    ({ body }, reply) => sendFile(parts, body, reply),
  )
}

async function sendFile(parts: Parts, query: FileQuery, reply: FastifyReply): Promise<FastifyReply> {
  const chosen = await choose(parts, query, Date.now())
  const { format, selection, filter } = chosen
  const { mediaType, extension } = format.description
  const rows = await parts.rows.open(chosen.accounts, selection.feature, filter)
  const pages = rows.pages()
  const name = nameOf(chosen)
  const isSplit = query.split
  const text = isSplit
    ? splitFile(format, selection, pages, (part) => `${name}_part${part}.${extension}`)
    : fileText(format, selection, pages)
  void reply
    .type(isSplit ? 'application/zip' : mediaType)
    .header('content-disposition', `attachment; filename="${name}.${isSplit ? 'zip' : extension}"`)
    .header('cache-control', 'no-store')
  // The rows are released when the file is complete or the client has disconnected.
  const stream = Readable.from(text, { objectMode: false })
  stream.once('close', () => void rows[Symbol.asyncDispose]())
  return reply.send(stream)
}

/** `letterboxd_history_TRACKA_20260701` */
function nameOf({ name, selection: { feature, provider, exportedAtMs, timeZone } }: Chosen): string {
  const day = exportDate(new Date(exportedAtMs).toISOString(), timeZone).replaceAll('-', '')
  return [name, feature, provider, day].map((part) => part.replace(/[^\w-]/g, '')).join('_')
}

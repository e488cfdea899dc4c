// Routes for providers, title search, and lookup of one work.
import {
  clientSignal,
  defined,
  isFault,
  isPlayheadError,
  oneOf,
  orNull,
  PlayheadError,
  type PluginApp,
  skipSerializer,
  type Static,
  type TSchema,
  Type,
} from '@playhead/sdk'
import { type Ids, readIds } from '@playhead/sdk/items'
import { localeOf } from './settings.ts'
import type { Parts } from './parts.ts'
import { namespaceOf, resolve, type Wanted } from './resolve.ts'
import { summaryOf } from './search.ts'
import { metaOf } from './view.ts'

const MetadataProvider = Type.Object({
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  ready: Type.Boolean({ description: 'A key is set.' }),
  ok: Type.Null(),
  version: Type.String(),
  capabilities: Type.Object({
    search: Type.Boolean(),
    resolve: Type.Boolean(),
    art: Type.Boolean(),
    entities: Type.Array(Type.String()),
  }),
})
const Text = Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()]))
const Search = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 300 }),
  typ: Type.Optional(Type.String({ maxLength: 20 })),
  year: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999 })),
  limit: Type.Integer({ default: 10, minimum: 1, maximum: 20 }),
})
const SearchAnswer = Type.Object({
  ok: Type.Boolean(),
  results: Type.Array(
    Type.Object({
      type: oneOf(['movie', 'show']),
      tmdb: orNull(Type.Integer({ description: 'Null: known by other ids only.' })),
      title: Type.String(),
      year: orNull(Type.Integer()),
      overview: Type.String(),
      poster_path: orNull(Type.String()),
      ids: Type.Record(Type.String(), Type.String(), { description: 'By scheme; at least one.' }),
      source: oneOf(['tmdb', 'library']),
    }),
  ),
})
const Resolve = Type.Object({
  entity: Text,
  ids: Type.Record(Type.String(), Type.Unknown()),
  locale: Text,
  need: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  strategy: Text,
})

const Pictures = Type.Array(
  Type.Object({
    url: Type.String(),
    w: orNull(Type.Integer()),
    h: orNull(Type.Integer()),
    lang: orNull(Type.String()),
  }),
)
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema))
const AiredEpisode = Type.Object(
  { season_number: maybe(Type.Integer()), episode_number: maybe(Type.Integer()) },
  { additionalProperties: true },
)
const Video = Type.Object(
  {
    site: maybe(Type.String()),
    key: maybe(Type.String()),
    type: maybe(Type.String()),
    official: maybe(Type.Boolean()),
    name: maybe(Type.String()),
    published_at: maybe(Type.String()),
  },
  { title: 'Video' },
)
const Detail = Type.Object({
  release_date: maybe(Type.String({ description: 'Release date of a film.' })),
  first_air_date: maybe(Type.String()),
  episode_run_time: Type.Optional(Type.Array(Type.Number(), { description: 'Minutes.' })),
  status: maybe(Type.String()),
  number_of_seasons: maybe(Type.Integer()),
  number_of_episodes: maybe(Type.Integer()),
  next_episode_to_air: maybe(Type.Unsafe<object>(AiredEpisode)),
  last_episode_to_air: maybe(Type.Unsafe<object>(AiredEpisode)),
})
/** The requested fields of a work; see `need`. */
export const Metadata = Type.Object(
  {
    type: oneOf(['movie', 'tv']),
    resolved_type: oneOf(['movie', 'show']),
    ids: Type.Record(Type.String(), Type.String()),
    title: Type.Optional(Type.String()),
    year: Type.Optional(orNull(Type.Integer())),
    overview: Type.Optional(Type.String()),
    tagline: Type.Optional(Type.String()),
    genres: Type.Optional(Type.Array(Type.String())),
    cast: Type.Optional(Type.Array(Type.Object({ name: Type.String(), character: Type.String() }), { maxItems: 12 })),
    videos: Type.Optional(Type.Array(Video)),
    certification: Type.Optional(Type.String()),
    release: Type.Optional(orNull(Type.Object({ date: Type.String(), country: Type.String() }))),
    runtime_minutes: Type.Optional(orNull(Type.Integer())),
    score: Type.Optional(orNull(Type.Integer({ description: '0 to 100.' }))),
    vote_count: Type.Optional(orNull(Type.Integer())),
    images: Type.Optional(Type.Record(Type.String(), Pictures, { description: 'By `poster`, `backdrop`, `logo`.' })),
    detail: Type.Optional(Detail),
  },
  { additionalProperties: true, title: 'Metadata' },
)
const ResolveAnswer = Type.Object({ ok: Type.Boolean(), found: Type.Boolean(), result: Metadata })
const METADATA_ERRORS = {
  429: { rate_limited: 'TMDB asks to wait; see `retry_after`.' },
  502: { upstream_failed: 'TMDB could not be asked.' },
  503: { not_ready: 'There is no key of TMDB.' },
  504: { upstream_failed: 'TMDB did not respond in time.' },
}

export function registerRoutes(app: PluginApp, { library, catalog, settings }: Parts): void {
  const describe = () => ({
    id: 'METAA',
    name: 'TMDB',
    enabled: true,
    ready: settings.get().metaA.api_key !== '',
    ok: null,
    version: app.playhead.manifest.version,
    capabilities: { search: true, resolve: true, art: true, entities: ['movie', 'show'] },
  })

  app.get(
    '/api/metadata/providers',
    { schema: { summary: 'Metadata services', response: { 200: Type.Array(MetadataProvider) } } },
    () => [describe()],
  )

  app.get(
    '/api/metadata/providers/html',
    {
      schema: {
        summary: 'The same as cards of a page',
        response: { 200: { description: 'HTML', content: { 'text/html': { schema: Type.String() } } } },
      },
    },
    (_request, reply) => {
      const { id, name, version, ready } = describe()
      return reply
        .type('text/html; charset=utf-8')
        .send(
          `<article class="metadata-provider" data-id="${escaped(id)}"><h3>${escaped(name)}</h3>` +
            `<p>${ready ? 'Ready' : 'Needs an API key'}</p><small>${escaped(version)}</small></article>`,
        )
    },
  )

  app.get(
    '/api/metadata/search',
    {
      schema: {
        summary: 'Search works by title',
        description: 'At TMDB; without a key among what the accounts hold. `source` says which, `ids` name the work.',
        querystring: Search,
        response: { 200: SearchAnswer },
        errors: METADATA_ERRORS,
      },
    },
    async (request) => {
      const { q, typ, year, limit } = request.query as Static<typeof Search>
      const kind = typ?.trim().toLowerCase() === 'multi' ? 'multi' : (namespaceOf(typ) ?? 'movie')
      const query = {
        title: q.trim(),
        locale: localeOf(settings.get().metadata.locale),
        ...(year === undefined || year === 0 ? {} : { year }),
      }
      const type = kind === 'multi' ? {} : { type: kind === 'tv' ? ('show' as const) : kind }
      // Without a key among the titles of the accounts.
      const held =
        settings.get().metaA.api_key === '' ? await catalog()?.search({ ...query, ...type, limit }) : undefined
      if (held !== undefined) {
        const results = held.map(({ ids, ...hit }) => ({
          ...hit,
          tmdb: ids.tmdb === undefined ? null : Number(ids.tmdb),
          overview: '',
          poster_path: null,
          ids,
          source: 'library' as const,
        }))
        return { ok: true, results }
      }
      const found = await orFailed(() => library.search(kind, query, clientSignal(request)))
      return {
        ok: true,
        results: found
          .slice(0, limit)
          .map((hit) => ({
            ...summaryOf(hit),
            tmdb: hit.id,
            poster_path: hit.poster_path ?? null,
            ids: { tmdb: String(hit.id) },
            source: 'tmdb' as const,
          })),
      }
    },
  )

  app.post(
    '/api/metadata/resolve',
    {
      ...skipSerializer,
      schema: {
        summary: 'Metadata of one work',
        body: Resolve,
        response: { 200: ResolveAnswer },
        errors: METADATA_ERRORS,
      },
    },
    async (request) => {
      const { entity, ids, locale, need } = request.body as Static<typeof Resolve>
      const wanted = wantedOf(entity, ids, localeOf(locale, localeOf(settings.get().metadata.locale)))
      const record = await orFailed(() => resolve(library, wanted))
      if (record !== undefined)
        return { ok: true, found: true, result: metaOf(record, need ?? undefined, settings.get().metaA.image_url) }
      const type = wanted.namespace
      return {
        ok: true,
        found: false,
        result: { type, ids: wanted.ids, resolved_type: type === 'movie' ? 'movie' : 'show' },
      }
    },
  )
}

/** Title and year may be among the ids. */
export function wantedOf(entity: unknown, given: Readonly<Record<string, unknown>>, locale: string): Wanted {
  const { title, year } = given
  const number = Number(year)
  return {
    namespace: namespaceOf(entity) ?? 'movie',
    ids: namedIds(given),
    locale,
    ...(typeof title === 'string' && title.trim() !== '' ? { title: title.trim().slice(0, 300) } : {}),
    ...(Number.isInteger(number) && number > 0 && number <= 9_999 ? { year: number } : {}),
  }
}

function namedIds(given: Readonly<Record<string, unknown>>): Ids {
  const { tmdb, imdb, tvdb } = readIds(given)
  return { ...defined({ tmdb, imdb, tvdb }) }
}

/** All failures of the service get the same error code. */
async function orFailed<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (
      !isPlayheadError(error) ||
      isFault(error) ||
      error.code === 'PLH_NOT_READY' ||
      error.code === 'PLH_RATE_LIMITED'
    )
      throw error
    const code = error.code === 'PLH_UPSTREAM_TIMEOUT' ? error.code : 'PLH_UPSTREAM'
    throw new PlayheadError(code, 'The metadata service could not be asked.', { cause: error, wire: 'upstream_failed' })
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

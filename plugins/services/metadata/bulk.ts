// Looks up many works in one request. Duplicates are looked up once, and failures stay separate.
import {
  clientSignal,
  isPlayheadError,
  PlayheadError,
  type PluginApp,
  skipSerializer,
  type Static,
  Type,
} from '@playhead/sdk'
import { normaliseId } from '@playhead/sdk/items'
import { localeOf } from './settings.ts'
import type { Parts } from './parts.ts'
import { resolve, type Wanted } from './resolve.ts'
import { Metadata, wantedOf } from './routes.ts'
import { metaOf, type Need, shortened } from './view.ts'

const OVERVIEWS = ['none', 'short', 'full'] as const
const Query = Type.Object({
  overview: Type.Optional(Type.Unsafe<(typeof OVERVIEWS)[number]>({ type: 'string', enum: [...OVERVIEWS] })),
  locale: Type.Optional(Type.String({ maxLength: 500 })),
})
const Body = Type.Object({
  items: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 20_000 })),
  need: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 12 })),
})
const BulkAnswer = Type.Object({
  ok: Type.Boolean(),
  count: Type.Integer(),
  fetched: Type.Integer(),
  dropped: Type.Integer({ description: 'Works beyond the limit of the settings.' }),
  missing_tmdb_key: Type.Boolean(),
  results: Type.Record(
    Type.String(),
    Type.Object({ ok: Type.Boolean(), meta: Type.Optional(Metadata), error: Type.Optional(Type.String()) }),
    { description: 'By type and TMDB id, for example `movie:603`.' },
  ),
  last_sync_epoch: Type.Null(),
})
const USUAL: Need = { overview: true, tagline: true, runtime_minutes: true, score: true }
const DEADLINE_MS = 60_000

type Row = Readonly<Record<string, unknown>>
type Entry = { readonly ok: true; readonly meta: Row } | { readonly ok: false; readonly error: string }

export function registerBulkRoute(app: PluginApp, { library, settings, log }: Parts): void {
  app.post(
    '/api/metadata/bulk',
    {
      ...skipSerializer,
      schema: {
        summary: 'Metadata of many works',
        querystring: Query,
        body: Body,
        response: { 200: BulkAnswer },
        errors: { 400: { items_required: 'There are no works in `items`.' } },
      },
    },
    async (request) => {
      const { overview = 'full', locale } = request.query as Static<typeof Query>
      const { items = [], need, concurrency = 6 } = request.body as Static<typeof Body>
      if (items.length === 0)
        throw new PlayheadError('PLH_INVALID', 'Send the titles in `items`.', { wire: 'items_required' })
      const { metadata, metaA } = settings.get()
      const language = localeOf(locale, localeOf(metadata.locale))
      const fields = {
        ...(need == null || Object.keys(need).length === 0 ? USUAL : need),
        ...(overview === 'none' ? { overview: false } : {}),
      }
      const taken = items.slice(0, metadata.bulk_max)
      const results = new Map<string, Entry>()
      const waiting = new Map<string, Wanted>()
      for (const item of taken) {
        const wanted = wantedItem(item, language)
        const key = `${wanted.namespace === 'movie' ? 'movie' : 'show'}:${wanted.ids.tmdb ?? 'UNKNOWN'}`
        if (wanted.ids.tmdb === undefined) results.set(key, { ok: false, error: 'missing tmdb id' })
        else if (!waiting.has(key)) waiting.set(key, wanted)
      }

      const ended = AbortSignal.any([clientSignal(request), AbortSignal.timeout(DEADLINE_MS)])
      await inTurn([...waiting], concurrency, async ([key, wanted]) => {
        results.set(
          key,
          ended.aborted ? { ok: false, error: 'resolver failed' } : await one(wanted, fields, metaA.image_url),
        )
      })
      const entries = [...results.values()]
      return {
        ok: true,
        count: results.size,
        fetched: entries.filter(({ ok }) => ok).length,
        dropped: items.length - taken.length,
        missing_tmdb_key: metaA.api_key === '',
        results: Object.fromEntries(
          [...results].map(([key, entry]) => [key, overview === 'short' ? withShort(entry) : entry]),
        ),
        last_sync_epoch: null,
      }
    },
  )

  async function one(wanted: Wanted, need: Need, imageUrl: string): Promise<Entry> {
    try {
      const record = await resolve(library, wanted)
      return record === undefined
        ? { ok: false, error: 'no metadata' }
        : { ok: true, meta: metaOf(record, need, imageUrl) }
    } catch (error) {
      const isKeyMissing = isPlayheadError(error, 'PLH_NOT_READY')
      if (!isKeyMissing) log.debug({ err: error }, 'a work of a bulk request could not be loaded')
      return {
        ok: false,
        error: isKeyMissing ? 'no metadata' : isPlayheadError(error) ? 'resolver failed' : 'worker error',
      }
    }
  }
}

async function inTurn<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  const worker = async () => {
    for (const item of { [Symbol.iterator]: () => ({ next: () => waiting.next() }) }) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
}

function wantedItem(item: unknown, locale: string): Wanted {
  const row: Row = typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as Row) : {}
  const nested = typeof row['ids'] === 'object' && row['ids'] !== null ? (row['ids'] as Row) : {}
  const { imdb, tvdb, title, year } = row
  const tmdb = normaliseId('tmdb', row['tmdb'] ?? row['id'] ?? nested['tmdb'])
  return wantedOf(
    row['type'] ?? row['entity'] ?? row['media_type'],
    {
      title,
      year,
      imdb,
      tvdb,
      ...Object.fromEntries(Object.entries(nested).filter(([, value]) => value !== null)),
      tmdb,
    },
    locale,
  )
}

function withShort(entry: Entry): Entry {
  const text = entry.ok ? entry.meta['overview'] : undefined
  return entry.ok && typeof text === 'string' ? { ...entry, meta: { ...entry.meta, overview: shortened(text) } } : entry
}

// The image route. Browsers load images from here, so that third parties do not learn what a person views.
import { defined, isPlayheadError, type PluginApp, type Static, Type } from '@playhead/sdk'
import type { FastifyReply } from 'fastify'
import { type ArtKind, chooseArt } from './art.ts'
import { localeOf } from '../settings.ts'
import type { Parts } from '../parts.ts'
import { namespaceOf } from '../resolve.ts'

const Text = Type.Optional(Type.String({ maxLength: 500 }))
const Query = Type.Object({
  size: Text,
  kind: Text,
  locale: Text,
  title: Text,
  season: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  episode: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  year: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999 })),
})
const Params = Type.Object({
  typ: Type.String(),
  tmdb_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})

const Image = {
  description: 'The picture, or a placeholder.',
  content: { 'image/*': { schema: { type: 'string', contentMediaType: 'image/*' } } },
}
const Unchanged = { description: 'The picture is the one of `If-None-Match`.', type: 'null' }
const Sentence = { description: 'The error as a sentence.', content: { 'text/plain': { schema: Type.String() } } }

const KINDS: Readonly<Record<string, ArtKind>> = {
  poster: 'poster',
  backdrop: 'backdrop',
  still: 'still',
  episode_still: 'still',
}
const PLACEHOLDER =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 342 513" role="img" aria-label="No picture">' +
  '<rect width="342" height="513" fill="#20242b"/><path d="M121 216h100v80H121zm12 12v56h76v-56z" fill="#4a515d"/></svg>'

export function registerArtRoutes(app: PluginApp, { library, artFiles, settings, log }: Parts): void {
  app.get(
    '/art/metaA/:typ/:tmdb_id',
    {
      schema: {
        summary: 'A poster, backdrop or still of a work',
        params: Params,
        querystring: Query,
        response: { 200: Image, 304: Unchanged, 400: Sentence, 404: Sentence },
      },
    },
    async (request, reply) => {
      const { typ, tmdb_id: id } = request.params as Static<typeof Params>
      const {
        size = 'w342',
        kind = 'poster',
        season,
        episode,
        locale,
        title,
        year,
      } = request.query as Static<typeof Query>
      const namespace = typ === 'movie' || typ === 'tv' || typ === 'show' ? namespaceOf(typ) : undefined
      const art = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
      const width = widthOf(size)
      if (namespace === undefined) return plain(reply, 400, 'The type is movie, tv or show.')
      if (art === undefined) return plain(reply, 400, 'The kind is poster, backdrop or still.')
      if (width === undefined) return plain(reply, 400, 'The size is original, or w1 to w2000.')
      if (art === 'still' && (namespace !== 'tv' || season === undefined || episode === undefined)) {
        return plain(reply, 400, 'A still needs the type tv, a season and an episode.')
      }
      if (settings.get().metaA.api_key === '') return plain(reply, 404, 'There is no key of the metadata service.')
      try {
        const chosen = await chooseArt(library, {
          namespace,
          id: String(id),
          kind: art,
          width,
          locale: localeOf(locale, settings.get().metadata.locale),
          ...defined({ season, episode }),
          ...(title === undefined || title.trim() === '' ? {} : { title }),
          ...(year === undefined || year === 0 ? {} : { year }),
        })
        if (chosen === undefined) {
          return reply.type('image/svg+xml').header('cache-control', 'public, max-age=300').send(PLACEHOLDER)
        }
        const { bytes, type, etag } = await artFiles.get(chosen.folder, chosen.name, chosen.source)
        reply.header('cache-control', 'public, max-age=86400, stale-while-revalidate=86400').header('etag', etag)
        return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.type(type).send(bytes)
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        log.debug({ typ, id, code: error.code }, 'an image could not be loaded')
        return plain(reply, 404, 'The picture cannot be had now.')
      }
    },
  )
}

function widthOf(size: string): number | 'original' | undefined {
  if (size === 'original') return size
  const width = /^w([1-9]\d{0,3})$/.exec(size)?.[1]
  return width !== undefined && Number(width) <= 2_000 ? Number(width) : undefined
}

function plain(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(text)
}

// The route of pictures. Browsers load all pictures from Playhead, so that no service learns which titles a person views and no
// token leaves Playhead.
import { clientSignal, oneOf, PlayheadError, type PluginApp, Type } from '@playhead/sdk'
import { type Ids, normaliseId, STRONG_SCHEMES, type IdScheme } from '@playhead/sdk/items'
import { PICTURE_ARTS, PICTURE_WIDTHS, type PictureRequest } from '@playhead/sdk/provider'
import type { Finder, FoundPicture } from './finder.ts'

const SCHEMES = [...STRONG_SCHEMES, 'mal', 'anilist', 'kitsu', 'anidb', 'trackb'] as const satisfies readonly IdScheme[]
const Id = Type.Optional(Type.String({ maxLength: 64 }))
const Query = Type.Object({
  ...Object.fromEntries(SCHEMES.map((scheme) => [scheme, Id])),
  art: oneOf(PICTURE_ARTS, 'poster'),
  width: Type.Union(
    PICTURE_WIDTHS.map((width) => Type.Literal(width)),
    { default: 342, description: 'The picture may be of another width.' },
  ),
})
const Image = {
  description: 'The picture: JPEG, PNG, WebP or AVIF.',
  content: { 'image/*': { schema: { type: 'string', contentMediaType: 'image/*' } } },
}
const None = { description: 'No service has a picture of the title.', type: 'null' }
const Unchanged = { description: 'The picture is the one of `If-None-Match`.', type: 'null' }

const SHOWN = 'private, max-age=86400, stale-while-revalidate=604800'
const MISSING = 'private, max-age=600'

export function registerRoutes(app: PluginApp, finder: Finder): void {
  app.get<{ Params: Pick<PictureRequest, 'type'>; Querystring: Ids & Pick<PictureRequest, 'art' | 'width'> }>(
    '/api/pictures/:type',
    {
      schema: {
        summary: 'A poster or backdrop of a title',
        params: Type.Object({ type: oneOf(['movie', 'show']) }),
        querystring: Query,
        response: { 200: Image, 204: None, 304: Unchanged },
      },
    },
    async (request, reply) => {
      const { art, width, ...given } = request.query
      const ids = Object.fromEntries(
        SCHEMES.flatMap((scheme) => {
          const id = normaliseId(scheme, given[scheme])
          return id === undefined ? [] : [[scheme, id]]
        }),
      ) as Ids
      if (Object.keys(ids).length === 0)
        throw new PlayheadError('PLH_INVALID', 'Send at least one ID: `tmdb`, `imdb` or another one.', {
          wire: 'missing_ids',
        })
      const signal = clientSignal(request)
      const { picture, isCertain } = await finder
        .find({ type: request.params.type, ids, art, width }, signal)
        .catch((error: unknown): FoundPicture => {
          // The client has cancelled the request.
          if (signal.aborted) return { picture: null, isCertain: false }
          throw error
        })
      if (picture === null)
        return reply
          .code(204)
          .header('cache-control', isCertain ? MISSING : 'no-store')
          .send()
      reply.header('cache-control', SHOWN).header('etag', picture.etag)
      if (request.headers['if-none-match'] === picture.etag) return reply.code(304).send()
      return reply.type(picture.type).send(Buffer.from(picture.bytes))
    },
  )
}

// The OpenAPI document at /openapi.json, and the interactive documentation at /docs, served locally under the same access
// rules: a separate Fastify instance, created on first use.
import fastify, { type FastifyInstance } from 'fastify'
import { isNotModified } from '@playhead/sdk'
import { DOCS_SCRIPT, DOCS_STYLE } from './docs-style.ts'
import { areasOf, oneArea } from './one-area.ts'
import type { OpenapiDocument } from './document.ts'

export interface DocumentationDependencies {
  readonly document: OpenapiDocument
  readonly logo: { readonly type: string; readonly body: Buffer }
  readonly basePath: string
}

const ROUTE_PREFIX = '/docs'
// Response headers to copy from the pages' instance.
const PASSED_HEADERS = ['content-type', 'etag', 'last-modified', 'location', 'cache-control'] as const

export async function documentationRoutes(
  app: FastifyInstance,
  { document, logo, basePath }: DocumentationDependencies,
): Promise<void> {
  let latest: object = {}
  let pages: Promise<FastifyInstance> | undefined
  app.addHook('onClose', async () => void (await (await pages?.catch(() => undefined))?.close()))

  app.get('/openapi.json', { config: { access: { auth: 'S' } }, schema: { hide: true } }, async (request, reply) => {
    const { text, version } = await document.read()
    if (isNotModified(request, reply, version)) return reply.send()
    return reply.type('application/json; charset=utf-8').send(text)
  })

  for (const url of [ROUTE_PREFIX, `${ROUTE_PREFIX}/*`]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      // A copy for each request: it is written before another one can begin.
      const read = async () => JSON.parse((await document.read()).text) as Readonly<Record<string, unknown>>
      const area = /^\/docs\/json\?area=(.+)$/.exec(request.url)?.[1]
      if (area !== undefined)
        return reply
          .type('application/json; charset=utf-8')
          .send(JSON.stringify(oneArea(await read(), decodeURIComponent(area))))
      if (/^\/docs\/(?:json|yaml)/.test(request.url)) latest = await read()
      const answer = await (
        await (pages ??= read().then((description) =>
          createPages({ logo, basePath }, areasOf(description), () => latest),
        ))
      ).inject({
        method: 'GET',
        url: request.url,
        headers:
          request.headers['if-none-match'] === undefined ? {} : { 'if-none-match': request.headers['if-none-match'] },
      })
      for (const name of PASSED_HEADERS) {
        const value = answer.headers[name]
        if (value !== undefined) void reply.header(name, value)
      }
      return reply.code(answer.statusCode).send(answer.rawPayload)
    })
  }
}

async function createPages(
  { logo, basePath }: Pick<DocumentationDependencies, 'logo' | 'basePath'>,
  areas: readonly string[],
  description: () => object,
): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const pages = fastify()
  await pages.register(swagger)
  await pages.register(swaggerUi, {
    routePrefix: ROUTE_PREFIX,
    indexPrefix: basePath,
    // An area at a time: some hundred operations at once would keep the page busy for seconds.
    uiConfig: {
      // Its links stand inside of buttons, which readers of screens cannot follow.
      deepLinking: false,
      tryItOutEnabled: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: -1,
      urls: areas.map((name) => ({ name, url: `${basePath}/docs/json?area=${encodeURIComponent(name)}` })),
    } as object,
    theme: {
      title: 'Playhead API',
      css: [{ filename: 'playhead.css', content: DOCS_STYLE }],
      js: [{ filename: 'playhead.js', content: DOCS_SCRIPT }],
    },
    logo: { type: logo.type, content: logo.body, href: `${basePath}/` },
    transformSpecification: () => description() as never,
  })
  await pages.ready()
  return pages
}

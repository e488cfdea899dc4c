// The browser's files: pages by name, everything else below /assets/. They are read once; there are few and they are small.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { PlayheadError } from '@playhead/sdk'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

export interface Pages {
  /** A page's HTML, the addresses of its files carrying the hash of their content. */
  page(name: string): string
  /** Throws PLH_NOT_FOUND. */
  asset(name: string): { readonly body: Buffer; readonly type: string; readonly hash: string }
}

export async function loadPages(directory: string): Promise<Pages> {
  const files = new Map<string, { body: Buffer; type: string; hash: string }>()
  for (const name of await readdir(directory)) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const body = await readFile(join(directory, name))
    files.set(name, { body, type, hash: createHash('sha256').update(body).digest('hex').slice(0, 12) })
  }
  const stamped = new Map([...files].filter(([name]) => name.endsWith('.html')).map(([name, { body }]) => [name, body.toString('utf8').replaceAll(
    /\/assets\/([A-Za-z0-9._-]+)/g,
    (address, asset: string) => files.has(asset) ? `${address}?v=${files.get(asset)?.hash}` : address,
  )]))
  return {
    page(name) {
      const html = stamped.get(`${name}.html`)
      if (html === undefined) throw new PlayheadError('PLH_NOT_FOUND', `There is no page "${name}".`)
      return html
    },
    asset(name) {
      const file = name.endsWith('.html') ? undefined : files.get(name)
      if (file === undefined) throw new PlayheadError('PLH_NOT_FOUND', `There is no file "${name}".`)
      return file
    },
  }
}

const open = { auth: 'P', duringSetup: true } as const

export async function pageRoutes(app: FastifyInstance, { pages, isSetup }: { pages: Pages; isSetup: () => boolean }): Promise<void> {
  app.get('/assets/:name', { config: { access: open }, schema: { hide: true } }, (request, reply) => {
    const asset = pages.asset((request.params as { name: string }).name)
    if (request.headers['if-none-match'] === `"${asset.hash}"`) return reply.code(304).send()
    const isVersioned = (request.query as { v?: string }).v === asset.hash
    return reply
      .header('cache-control', isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache')
      .header('etag', `"${asset.hash}"`)
      .type(asset.type)
      .send(asset.body)
  })
  app.get('/favicon.ico', { config: { access: open }, schema: { hide: true } }, (_request, reply) => {
    const icon = pages.asset('icon.svg')
    return reply.header('cache-control', 'public, max-age=86400').type(icon.type).send(icon.body)
  })
  // Home asks for the first account while there is none.
  app.get('/', { config: { access: { auth: 'SS', duringSetup: true } }, schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(pages.page(isSetup() ? 'login' : 'index')))
  app.get('/redoc', { config: { access: { auth: 'S' } }, schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(pages.page('reference')))
}

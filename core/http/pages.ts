// Serves the browser application built by `ui/build.ts`: one shell for all pages, and precompressed files with content
// hashes. Files are read on first request.
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompress } from 'node:zlib'
import { promisify } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlayheadError } from '@playhead/sdk'
import { escapeHtml } from './escape-html.ts'
import { IMMUTABLE_CACHE_CONTROL } from './security-headers.ts'

interface Manifest {
  /** Addresses of the application's pages, in router notation (`/runs/:id`). */
  readonly paths: readonly string[]
  /** HTML by logical page name: "index", "entry" for the sign-in and the setup, "reference". */
  readonly pages: Readonly<Record<string, string>>
  /** The service worker, by its hashed file name. */
  readonly worker?: string
  /** Content types by hashed file name. */
  readonly files: Readonly<Record<string, string>>
  /** Files of the documentation by address. */
  readonly guide: Readonly<Record<string, { readonly file: string; readonly type: string }>>
}

interface AssetFile {
  readonly type: string
  /** Uncompressed without an encoding. */
  read(encoding: 'br' | 'gz' | null): Promise<Buffer>
}

export interface Pages {
  /** Addresses of the shell. */
  readonly paths: readonly string[]
  readonly icon: { readonly type: string; readonly body: Buffer }
  /** A page's HTML; throws PLH_NOT_READY if the application was not built. */
  page(name: string): Promise<string>
  /** A file of the documentation, by its address (`/guide/first-hour`); null if there is none. */
  guide(
    address: string,
  ): Promise<{ readonly type: string; readonly body: Buffer | string; readonly version: string } | null>
  /** Throws PLH_NOT_FOUND. */
  asset(name: string): AssetFile
  /** Throws PLH_NOT_FOUND. */
  worker(): Promise<AssetFile>
}

const NOT_BUILT =
  'The pages are not built. Run "npm ci" (or "npm run build") in the folder of the service; it needs the development packages.'
const HOME_PATHS = ['/']

const unpack = promisify(brotliDecompress)

/**
 * @param directory of the `ui` folder
 * @param basePath path below which a proxy publishes the service
 * @param newestChange number of the newest change: the shell follows the changes from it on, whenever it connects
 */
export async function loadPages(directory: string, basePath = '', newestChange = () => 0): Promise<Pages> {
  const dist = join(directory, 'dist')
  const bodies = new Map<string, Promise<Buffer>>()
  let { manifest, builtAtMs } = await readManifest(dist)

  return {
    paths: manifest?.paths ?? HOME_PATHS,
    icon: { type: 'image/svg+xml', body: await readFile(join(directory, 'static/icon.svg')) },
    async page(name) {
      await refresh()
      const html = manifest?.pages[name]
      if (html === undefined) throw new PlayheadError('PLH_NOT_READY', NOT_BUILT)
      const shown = basePath === '' ? html : withBase(html, basePath)
      return shown.replace('<html ', `<html data-change="${newestChange()}" `)
    },
    async guide(address) {
      await refresh()
      const found = Object.hasOwn(manifest?.guide ?? {}, address) ? manifest?.guide[address] : undefined
      if (found === undefined) return null
      const body = await readFile(join(dist, 'guide', found.file))
      const content = basePath !== '' && found.type.startsWith('text/html') ? withBase(String(body), basePath) : body
      const version = createHash('sha256').update(content).digest('hex').slice(0, 16)
      return { type: found.type, body: content, version }
    },
    asset,
    async worker() {
      await refresh()
      return asset(manifest?.worker ?? '')
    },
  }

  function asset(name: string): AssetFile {
    const type = Object.hasOwn(manifest?.files ?? {}, name) ? manifest?.files[name] : undefined
    if (type !== undefined)
      return { type, read: (encoding) => (encoding === null ? readPlain(name) : readOnce(`${name}.${encoding}`)) }
    if (name.endsWith('.map') && Object.hasOwn(manifest?.files ?? {}, name.slice(0, -'.map'.length))) {
      return { type: 'application/json', read: () => readFile(join(dist, name)) }
    }
    throw new PlayheadError('PLH_NOT_FOUND', `There is no file "${name}".`)
  }

  // A new build is loaded with the next page.
  async function refresh(): Promise<void> {
    if ((await changedAt(dist)) !== builtAtMs) ({ manifest, builtAtMs } = await readManifest(dist))
  }

  async function readPlain(name: string): Promise<Buffer> {
    return await unpack(await readOnce(`${name}.br`))
  }

  function readOnce(file: string): Promise<Buffer> {
    const known = bodies.get(file)
    if (known !== undefined) return known
    const body = readFile(join(dist, file)).catch((error: unknown) => {
      bodies.delete(file)
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new PlayheadError('PLH_NOT_FOUND', `The file "${file}" is gone; load the page again.`)
      throw error
    })
    bodies.set(file, body)
    return body
  }
}

async function readManifest(dist: string): Promise<{ manifest: Manifest | null; builtAtMs: number }> {
  const builtAtMs = await changedAt(dist)
  if (builtAtMs === 0) return { manifest: null, builtAtMs }
  return { manifest: JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8')) as Manifest, builtAtMs }
}

/** 0 without a build. */
async function changedAt(dist: string): Promise<number> {
  return (await stat(join(dist, 'manifest.json')).catch(() => null))?.mtimeMs ?? 0
}

// The pages read it from the root element.
function withBase(html: string, basePath: string): string {
  return html
    .replace('<html ', `<html data-base="${basePath}" `)
    .replaceAll(/ (href|src)="\/(?!\/)/g, (_, name: string) => ` ${name}="${basePath}/`)
}

const open = { auth: 'P', duringSetup: true } as const
const closed = { auth: 'S' } as const

export async function pageRoutes(
  app: FastifyInstance,
  { pages, isSetUp }: { readonly pages: Pages; readonly isSetUp: () => boolean },
): Promise<void> {
  app.get('/assets/:name', { config: { access: open }, schema: { hide: true } }, async (request, reply) => {
    const asset = pages.asset((request.params as { name: string }).name)
    const encoding = wantedEncoding(request)
    const body = await asset.read(encoding)
    if (encoding !== null && asset.type !== 'application/json')
      void reply.header('content-encoding', encoding === 'gz' ? 'gzip' : 'br')
    return reply
      .header('cache-control', IMMUTABLE_CACHE_CONTROL)
      .header('vary', 'accept-encoding')
      .type(asset.type)
      .send(body)
  })
  // A service worker's scope is its path, so its name is not hashed.
  app.get('/sw.js', { config: { access: open }, schema: { hide: true } }, async (_request, reply) => {
    const worker = await pages.worker()
    return reply
      .header('cache-control', 'no-cache')
      .type(worker.type)
      .send(await worker.read(null))
  })
  app.get('/favicon.ico', { config: { access: open }, schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type(pages.icon.type).send(pages.icon.body),
  )
  // Without an account Home shows the setup; other pages redirect to it.
  for (const path of pages.paths.filter((one) => one !== '/login')) {
    const access = path === '/' ? ({ auth: 'SS', duringSetup: true } as const) : closed
    app.get(path, { config: { access }, schema: { hide: true } }, (_request, reply) =>
      sendPage(reply, pages, isSetUp() ? 'index' : 'entry'),
    )
  }
  // A guest signs in there at a service. The token of the link is in the fragment, which is not sent.
  app.get('/guest', { config: { access: { auth: 'P' } }, schema: { hide: true } }, (_request, reply) =>
    sendPage(reply, pages, 'entry'),
  )
  for (const path of ['/docs', '/redoc'])
    app.get(path, { config: { access: closed }, schema: { hide: true } }, (_request, reply) =>
      sendPage(reply, pages, 'reference'),
    )
}

export async function sendPage(
  reply: FastifyReply,
  pages: Pages,
  name: string,
  fill = (html: string) => html,
): Promise<FastifyReply> {
  void reply.header('cache-control', 'no-store').type('text/html; charset=utf-8')
  try {
    return reply.send(fill(await pages.page(name)))
  } catch (error) {
    if (!(error instanceof PlayheadError)) throw error
    return reply
      .code(503)
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8"><title>Playhead</title><h1>Playhead</h1><p>${escapeHtml(error.message)}</p></html>`,
      )
  }
}

function wantedEncoding({ headers }: FastifyRequest): 'br' | 'gz' | null {
  const accepted = new Map(
    String(headers['accept-encoding'] ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
        return [name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))] as const
      }),
  )
  if (accepted.get('br') === true) return 'br'
  return accepted.get('gzip') === true ? 'gz' : null
}

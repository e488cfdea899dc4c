// A stand-in for the hosts of the anime data sets: releases with redirects to an asset host, as at GitHub, and a raw
// table. Etags change with the content.
import { createHash } from 'node:crypto'
import { startUpstream, type Upstream, type UpstreamReply } from './base/index.ts'

export interface DataSets {
  readonly stats: object | string
  readonly mappings: object | string
  /** undefined: the data set does not exist. */
  readonly identities?: string
}

export interface AnimeData extends AsyncDisposable {
  /** Address of the releases, without a tag. */
  readonly mappingsUrl: string
  readonly identitiesUrl: string
  readonly front: Upstream
  /** The asset host that serves releases; the front redirects to it. */
  readonly assets: Upstream
  publish(tag: string, data: DataSets): void
  /** Redirect target of releases. Default: the asset host. null: the front serves them itself, as a mirror does. */
  redirectTo(url: string | null): void
  close(): Promise<void>
}

// Contains characters that break a carelessly built address.
const SIGNATURE = 'a+b/c=='

/** @param redirects false: the front sends releases itself */
export async function startAnimeData(first?: DataSets, tag = 'v3', redirects = true): Promise<AnimeData> {
  const releases = new Map<string, DataSets>()
  const assets = await startUpstream({
    name: 'assets',
    handler: ({ path, query, headers }) => {
      if (query.get('sig') !== SIGNATURE || query.get('rscd') !== 'attachment; filename=data.json')
        return { status: 403 }
      const [release = '', name = ''] = path.split('/').slice(2)
      const data = releases.get(release)
      if (data === undefined) return { status: 404 }
      return withEtag(name === 'stats.json' ? data.stats : data.mappings, headers['if-none-match'])
    },
  })
  let target: string | null = redirects ? assets.url : null
  const front = await startUpstream({
    name: 'releases',
    handler: ({ path, headers }) => {
      if (path === '/identities.tsv') {
        const text = [...releases.values()].at(-1)?.identities
        return text === undefined ? { status: 404 } : withEtag(text, headers['if-none-match'])
      }
      const match = /^\/releases\/([^/]+)\/(stats\.json|mappings\.min\.json)$/.exec(path)
      if (match === null || !releases.has(match[1] as string)) return { status: 404, text: 'Not Found' }
      const { stats, mappings } = releases.get(match[1] as string) as DataSets
      if (target === null) return withEtag(match[2] === 'stats.json' ? stats : mappings, headers['if-none-match'])
      const query = new URLSearchParams({ sig: SIGNATURE, rscd: 'attachment; filename=data.json' })
      return { status: 302, headers: { location: `${target}/production/${match[1]}/${match[2]}?${query}` } }
    },
  })
  const data: AnimeData = {
    mappingsUrl: `${front.url}/releases`,
    identitiesUrl: `${front.url}/identities.tsv`,
    front,
    assets,
    publish: (of, sets) => void releases.set(of, sets),
    redirectTo(url) {
      target = url
    },
    async close() {
      await Promise.all([front.close(), assets.close()])
    },
    async [Symbol.asyncDispose]() {
      await data.close()
    },
  }
  if (first !== undefined) data.publish(tag, first)
  return data
}

function withEtag(content: object | string, known: string | undefined): UpstreamReply {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`
  return known === etag ? { status: 304, headers: { etag } } : { status: 200, headers: { etag }, text }
}

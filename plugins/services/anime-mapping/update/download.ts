// Downloads the data sets. GitHub redirects releases to another host; only redirects to the plugin's own hosts are followed.
import { createHash } from 'node:crypto'
import {
  defined,
  isPlayheadError,
  parseJson,
  PlayheadError,
  type PluginFiles,
  type UpstreamAccount,
  type UpstreamAnswer,
  type UpstreamFactory,
} from '@playhead/sdk'
import type { DataFile } from '../state.ts'

const MAX_BYTES = 256 * 1024 * 1024
const STATS_TIMEOUT_MS = 30_000
const FILE_TIMEOUT_MS = 120_000
const MAX_STATS_BYTES = 1024 * 1024
const REDIRECTS = [301, 302, 303, 307, 308]
const MAX_REDIRECTS = 5

export interface Stats {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
  readonly generatedOn: string
  readonly etag: string
}

export interface Downloads {
  /** Null if unchanged since `etag`. */
  stats(url: string, etag: string, signal: AbortSignal): Promise<Stats | null>
  /** Stores the file under a name. Null if unchanged since `etag`. */
  file(url: string, to: string, etag: string, signal: AbortSignal): Promise<DataFile | null>
}

/** Throws `download_failed`, `download_timeout`, `dataset_invalid` and `PLH_ABORTED`. */
export function createDownloads(
  upstream: UpstreamFactory,
  files: PluginFiles,
  { version, maxBytes = MAX_BYTES }: { readonly version: string; readonly maxBytes?: number },
): Downloads {
  const accounts = new Map<string, UpstreamAccount>()

  function accountOf({ origin, host }: URL): UpstreamAccount {
    return accounts.getOrInsertComputed(origin, () =>
      upstream.account({
        account: `anime-mapping@${host}`,
        baseUrl: origin,
        limits: { concurrency: 2 },
        headers: { 'user-agent': `Playhead/${version}` },
        maxBytes: MAX_STATS_BYTES,
        tries: 3,
      }),
    )
  }

  async function open(text: string, etag: string, timeoutMs: number, signal: AbortSignal): Promise<UpstreamAnswer> {
    let url = new URL(text)
    const headers: Record<string, string> = etag === '' ? {} : { 'if-none-match': etag }
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await accountOf(url).request({
        path: url.pathname,
        query: queryOf(url),
        headers,
        accept: REDIRECTS,
        timeoutMs,
        signal,
      })
      if (!REDIRECTS.includes(answer.status)) return answer
      answer.stream().destroy()
      url = nextUrl(url, answer.headers['location'])
    }
    throw failed('The server redirects too often.')
  }

  return {
    stats: (url, etag, signal) =>
      translated('stats.json', async () => {
        const answer = await open(url, etag, STATS_TIMEOUT_MS, signal)
        if (answer.status === 304) return null
        return readStats(await answer.text(), answer.headers['etag'] ?? '')
      }),
    file: (url, to, etag, signal) =>
      translated(to.replace(/-[^.]*/, ''), async () => {
        const answer = await open(url, etag, FILE_TIMEOUT_MS, signal)
        if (answer.status === 304) return null
        const hash = createHash('sha256')
        let size = 0
        await files.writeStream(
          to,
          counted(answer.stream(), (chunk) => {
            size += chunk.length
            if (size > maxBytes) throw invalid(`The file is larger than ${maxBytes >> 20} MiB.`)
            hash.update(chunk)
          }),
        )
        if (size === 0) throw invalid('The file is empty.')
        return { file: to, size, sha256: hash.digest('hex'), etag: answer.headers['etag'] ?? '' }
      }),
  }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: (chunk: Uint8Array) => void,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk)
    yield chunk
  }
}

function queryOf({ searchParams }: URL): Record<string, readonly string[]> {
  const query: Record<string, string[]> = {}
  for (const [name, value] of searchParams) (query[name] ??= []).push(value)
  return query
}

function nextUrl(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from)) throw failed('The server redirects to no address.')
  const next = new URL(location, from)
  if (from.protocol === 'https:' && next.protocol !== 'https:')
    throw failed('The server redirects to an address without encryption.')
  return next
}

function readStats(text: string, etag: string): Stats {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw invalid('It is not valid JSON.')
  }
  const generatedOn = (value as { readonly meta?: { readonly generated_on?: unknown } } | null)?.meta?.generated_on
  if (typeof generatedOn !== 'string' || Number.isNaN(Date.parse(generatedOn)) || generatedOn.length > 64)
    throw invalid('It does not say when the data was made.')
  return { text, value: value as Stats['value'], generatedOn, etag }
}

/** Translates errors of the client to codes of the routes. */
async function translated<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (isPlayheadError(error, 'PLH_ABORTED') || isPlayheadError(error, 'PLH_PLUGIN_DISPOSED')) throw error
    if (isPlayheadError(error) && OWN.has(error.wire))
      throw new PlayheadError(error.code, `${name}: ${error.message}`, { wire: error.wire, status: error.status })
    if (isPlayheadError(error, 'PLH_UPSTREAM_TIMEOUT')) {
      throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', `${name} was not downloaded in time. Try again later.`, {
        wire: 'download_timeout',
        cause: error,
      })
    }
    if (isPlayheadError(error)) throw failed(`${name}: ${error.message}`, error)
    // A connection that breaks during the body.
    if (isDiskError(error)) throw error
    throw failed(`${name}: the download broke off. Try again later.`, error)
  }
}

const OWN = new Set(['download_failed', 'dataset_invalid'])

function isDiskError(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:ENOSPC|EDQUOT|EFBIG|EACCES|EROFS|EIO)$/.test(String((error as { code?: unknown }).code))
  )
}

function failed(message: string, cause?: unknown): PlayheadError {
  const retryAfterMs = isPlayheadError(cause) ? cause.retryAfterMs : undefined
  return new PlayheadError('PLH_UPSTREAM', message, { wire: 'download_failed', cause, ...defined({ retryAfterMs }) })
}

export function invalid(message: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', message, { wire: 'dataset_invalid' })
}

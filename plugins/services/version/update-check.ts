// Checks for releases at most once in five minutes, even after a failure, and never concurrently.
import { defined, isPlayheadError, type Logger, type UpstreamAccount, type UpstreamFactory } from '@playhead/sdk'
import { ReleasesAnswer, newestRelease, type Update } from './releases.ts'

interface UpdateState {
  readonly update: Update | null
  /** Epoch milliseconds of the last attempt; null before the first one. */
  readonly checkedAtMs: number | null
  /** Error code of the last attempt. */
  readonly error: string | null
}

export interface UpdateCheck {
  state(): Promise<UpdateState>
}

interface UpdateCheckOptions {
  readonly config: { readonly enabled: boolean; readonly source: string }
  readonly upstream: UpstreamFactory
  readonly log: Logger
  /** The running version. */
  readonly current: string
  readonly now?: () => number
}

const KEEP_MS = 300_000
const TIMEOUT_MS = 8_000
const MAX_ANSWER_BYTES = 2 << 20

export function createUpdateCheck({ config, upstream, log, current, now = Date.now }: UpdateCheckOptions): UpdateCheck {
  let cached: UpdateState = { update: null, checkedAtMs: null, error: null }
  let running: Promise<UpdateState> | null = null
  let account: UpstreamAccount | undefined
  // The response that an ETag of "not modified" refers to.
  let last: { readonly etag: string; readonly update: Update | null } | undefined

  async function ask(): Promise<Update | null> {
    const source = new URL(config.source)
    account ??= upstream.account({
      account: 'releases',
      baseUrl: source.origin,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      tries: 2,
    })
    const answer = await account.request({
      path: source.pathname,
      query: Object.fromEntries(source.searchParams),
      headers: { accept: 'application/vnd.github+json, application/json', ...defined({ 'if-none-match': last?.etag }) },
    })
    if (answer.status === 304 && last !== undefined) {
      await answer.text()
      return last.update
    }
    const update = newestRelease(await answer.json(ReleasesAnswer), current)
    const { etag } = answer.headers
    last = etag === undefined ? undefined : { etag, update }
    return update
  }

  async function check(): Promise<UpdateState> {
    try {
      return { update: await ask(), checkedAtMs: now(), error: null }
    } catch (error) {
      log.info({ err: error }, 'the update check failed')
      return { update: null, checkedAtMs: now(), error: isPlayheadError(error) ? error.wire : 'failed' }
    }
  }

  return {
    async state() {
      if (!config.enabled || config.source === '') return cached
      if (cached.checkedAtMs !== null && now() - cached.checkedAtMs < KEEP_MS && now() >= cached.checkedAtMs)
        return cached
      running ??= check().finally(() => {
        running = null
      })
      cached = await running
      return cached
    },
  }
}

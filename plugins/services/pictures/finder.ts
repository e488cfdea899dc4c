// Finds a picture: on disk, then at each account in turn, then at the metadata service. Requests per account are limited and served
// newest first, because people scroll on. Requests that no page waits for any more are cancelled.
import {
  isPlayheadError,
  type Logger,
  type Picture,
  type PictureRequest,
  type Remote,
  untilAborted,
  isRecent,
} from '@playhead/sdk'
import { createQueue, type Queue } from './queue.ts'
import type { Source, Sources } from './sources.ts'
import { etagOf, titleOf, type Store, type StoredPicture } from './store.ts'

export interface FoundPicture {
  readonly picture: (Picture & { readonly etag: string }) | null
  /** False if a source was unavailable, so that a later attempt may find a picture. */
  readonly isCertain: boolean
}

export interface Finder {
  find(request: PictureRequest, signal: AbortSignal): Promise<FoundPicture>
}

interface FinderOptions {
  readonly store: Store
  readonly sources: Sources | Remote<Sources>
  readonly log: Pick<Logger, 'debug' | 'warn'>
  readonly now?: () => number
}

const FRESH_MS = 14 * 86_400_000
const MISSING_MS = 6 * 3_600_000
/** Pause after a failure of an account: a wall has a hundred posters. */
const PAUSE_MS = 60_000
const CONCURRENCY = 4
const MAX_WAITING = 200

interface Job {
  readonly result: Promise<FoundPicture>
  readonly stop: AbortController
  waiting: number
}

export function createFinder({ store, sources, log, now = Date.now }: FinderOptions): Finder {
  const jobs = new Map<string, Job>()
  const queues = new Map<string, Queue>()
  const pausedUntil = new Map<string, number>()

  function queueOf(owner: string): Queue {
    const known = queues.get(owner) ?? createQueue(CONCURRENCY, MAX_WAITING)
    queues.set(owner, known)
    return known
  }

  /** Undefined if the account was unavailable. */
  async function ask(
    source: Source,
    request: PictureRequest,
    signal: AbortSignal,
  ): Promise<Picture | null | undefined> {
    const isPaused = () => (pausedUntil.get(source.owner) ?? 0) > now()
    if (isPaused()) return undefined
    try {
      const picture = await queueOf(source.owner).run(
        async () => (isPaused() ? undefined : source.picture(request, signal)),
        signal,
      )
      if (picture !== undefined) await store.save(request, source.owner, picture).catch(notSaved)
      return picture
    } catch (error) {
      if (signal.aborted || !isPlayheadError(error)) throw error
      log.debug({ account: source.name, code: error.code, ...error.details }, 'a picture could not be loaded')
      // A response that is not a picture counts as a permanent miss.
      if (error.code === 'PLH_UPSTREAM_INVALID' || error.code === 'PLH_HOST_DENIED') {
        await store.save(request, source.owner, null).catch(notSaved)
        return null
      }
      if (error.code !== 'PLH_ABORTED') pausedUntil.set(source.owner, now() + PAUSE_MS)
      return undefined
    }
  }

  function notSaved(error: unknown): void {
    log.warn({ err: error }, 'a picture could not be stored')
  }

  async function look(request: PictureRequest, signal: AbortSignal): Promise<FoundPicture> {
    const [accounts, known] = await Promise.all([
      sources.accounts(),
      store.find(request).catch((error: unknown): readonly StoredPicture[] => {
        log.warn({ err: error }, 'the stored pictures cannot be read')
        return []
      }),
    ])
    const kept = new Map(known.map((one) => [one.owner, one]))
    const fresh = accounts.map(({ owner }) => kept.get(owner)).find((one) => isFresh(one) && one?.picture)
    if (fresh?.picture) return { picture: fresh.picture, isCertain: true }
    let isCertain = true
    for (const source of accounts) {
      if (isFresh(kept.get(source.owner))) continue
      const picture = await ask(source, request, signal)
      if (picture) return { picture: withEtag(picture), isCertain: true }
      if (picture === undefined) isCertain = false
    }
    // An old picture is better than none while its account is unreachable.
    const old = isCertain ? undefined : accounts.map(({ owner }) => kept.get(owner)).find((one) => one?.picture)
    if (old?.picture) return { picture: old.picture, isCertain }
    const picture = await fromMetadata(request, signal)
    return picture === undefined
      ? { picture: null, isCertain: false }
      : { picture: picture === null ? null : withEtag(picture), isCertain }
  }

  async function fromMetadata(request: PictureRequest, signal: AbortSignal): Promise<Picture | null | undefined> {
    try {
      return await untilAborted(sources.metadata(request), signal)
    } catch (error) {
      if (signal.aborted || !isPlayheadError(error)) throw error
      log.debug({ code: error.code }, 'a picture of the metadata service could not be loaded')
      return undefined
    }
  }

  function isFresh(stored: StoredPicture | undefined): boolean {
    return stored !== undefined && isRecent(stored.atMs, now(), stored.picture === null ? MISSING_MS : FRESH_MS)
  }

  function start(key: string, request: PictureRequest): Job {
    const stop = new AbortController()
    const job: Job = { result: look(request, stop.signal), stop, waiting: 0 }
    jobs.set(key, job)
    const forget = () => {
      if (jobs.get(key) === job) jobs.delete(key)
    }
    // Waiting callers receive the failure.
    job.result.then(forget, forget)
    return job
  }

  return {
    async find(request, signal) {
      const key = `${titleOf(request)} ${request.art} ${request.width}`
      const known = jobs.get(key)
      const job = known === undefined || known.stop.signal.aborted ? start(key, request) : known
      job.waiting += 1
      try {
        return await untilAborted(job.result, signal)
      } finally {
        job.waiting -= 1
        if (job.waiting === 0) job.stop.abort()
      }
    },
  }
}

function withEtag(picture: Picture): Picture & { readonly etag: string } {
  return { ...picture, etag: etagOf(picture.bytes) }
}

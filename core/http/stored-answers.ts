// Answers by revision: the handler of a route that names the revision of its data (`config.revision`, see
// sdk/response.ts) runs once per revision. Other requests get a 304 or the stored body.
import { hash, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isNotModified } from '@playhead/sdk'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { wantsGzip } from './compression.ts'

/** All stored bodies together: a small machine has 512 MB for the service. */
const MOST_BYTES = 8 * 1024 * 1024
/** An open page sends requests more often. */
const UNUSED_MS = 10 * 60_000
const TAG_LENGTH = 22
/** Memory of an entry beside its body. */
const ENTRY_BYTES = 1_000
const STORED_HEADERS = ['content-type', 'content-encoding', 'vary'] as const

interface StoredAnswer {
  readonly tag: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** One answer per slot: an address, a caller and an encoding. */
export interface StoredAnswers {
  get(slot: string): StoredAnswer | undefined
  /** Replaces the answer of the slot; one that is too large is not stored. */
  set(slot: string, answer: StoredAnswer): void
  bytes(): number
}

export function createStoredAnswers({ maxBytes = MOST_BYTES }: { readonly maxBytes?: number } = {}): StoredAnswers {
  const answers = new LRUCache<string, StoredAnswer>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, slot) => body.length + slot.length + ENTRY_BYTES,
    ttl: UNUSED_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  })
  return {
    get: (slot) => answers.get(slot),
    set: (slot, answer) => void answers.set(slot, answer),
    bytes: () => answers.calculatedSize,
  }
}

/** A request whose answer has a tag, and may be stored. */
interface Pending {
  readonly slot: string
  readonly tag: string
  readonly revision: string
  readonly revisionNow: () => string | null | Promise<string | null>
  readonly done: (stored: StoredAnswer | undefined) => void
}

const PENDING = Symbol('the stored answer that this request makes')
type MarkedRequest = FastifyRequest & { [PENDING]?: Pending | undefined }

/**
 * Registers the hooks on an instance. Call it after compression is registered: stored bodies are compressed.
 *
 * @param answers undefined: nothing is stored, tags alone are answered
 */
export function answerByRevision(app: FastifyInstance, answers: StoredAnswers | undefined): void {
  // Another version of the plugin, or of the service, may answer otherwise for the same revision.
  const instance = randomUUID()
  /** Answers that are being made, by slot and tag. */
  const making = new Map<string, Promise<StoredAnswer | undefined>>()

  app.addHook('onRoute', (route: RouteOptions) => {
    const revisionOf = route.config?.revision
    if (revisionOf === undefined) return
    const hook = (request: FastifyRequest, reply: FastifyReply) => find(request, reply, () => revisionOf(request))
    route.preHandler = [hook, ...[route.preHandler ?? []].flat()] as NonNullable<RouteOptions['preHandler']>
  })

  async function find(
    request: FastifyRequest,
    reply: FastifyReply,
    revisionNow: Pending['revisionNow'],
  ): Promise<FastifyReply | undefined> {
    const revision = await revisionNow()
    if (revision === null) return undefined
    const slot = slotOf(instance, request)
    const tag = hash('sha256', `${revision}\n${slot}`, 'base64url').slice(0, TAG_LENGTH)
    const own = `${slot}\n${wantsGzip(request) ? 'gzip' : ''}`
    const known = answers?.get(own)
    const isKnown = known?.tag === tag
    // "*" is any answer, but a request that would be refused has none.
    const mayBeAny = isKnown || request.headers['if-none-match']?.includes('*') !== true
    if (isNotModified(mayBeAny ? request : { headers: {} }, reply, tag)) return reply.send()
    if (isKnown) return send(reply, known)
    if (answers === undefined) return undefined
    const key = `${own}\n${tag}`
    const made = await making.get(key)
    if (made !== undefined) return send(reply, made)
    // The previous maker may have failed, and several may have waited for it.
    if (making.has(key)) return undefined
    const { promise, resolve } = Promise.withResolvers<StoredAnswer | undefined>()
    making.set(key, promise)
    const done = (stored: StoredAnswer | undefined) => {
      if (making.get(key) === promise) making.delete(key)
      resolve(stored)
    }
    // Also without an answer, for example of a client that left.
    reply.raw.once('close', () => done(undefined))
    ;(request as MarkedRequest)[PENDING] = { slot: own, tag, revision, revisionNow, done }
    return undefined
  }

  app.addHook('onSend', async (request, reply, payload) => {
    const pending = (request as MarkedRequest)[PENDING]
    if (pending === undefined) {
      // A failure of a route whose tags are not stored.
      if (request.routeOptions.config.revision !== undefined && reply.statusCode >= 400) withoutTag(reply)
      return
    }
    ;(request as MarkedRequest)[PENDING] = undefined
    const { slot, tag, revision, revisionNow, done } = pending
    let stored: StoredAnswer | undefined
    try {
      const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
      const mayStore = reply.statusCode === 200 && !String(reply.getHeader('cache-control')).includes('no-store')
      if (!mayStore || (isWhole && (await revisionNow()) !== revision)) withoutTag(reply)
      else if (isWhole) {
        const headers: Record<string, string> = {}
        for (const name of STORED_HEADERS) {
          const value = reply.getHeader(name)
          if (value !== undefined) headers[name] = String(value)
        }
        stored = { tag, body: typeof payload === 'string' ? Buffer.from(payload) : payload, headers }
        answers?.set(slot, stored)
      }
    } catch {
      // The answer itself is good; its revision is unknown.
      withoutTag(reply)
    } finally {
      done(stored)
    }
  })
}

function send(reply: FastifyReply, { body, headers }: StoredAnswer): FastifyReply {
  return reply.headers(headers).send(body)
}

function withoutTag(reply: FastifyReply): void {
  void reply.removeHeader('etag')
  if (reply.getHeader('cache-control') === 'private, no-cache') void reply.removeHeader('cache-control')
}

/** Everything of the request that a handler may read. */
function slotOf(instance: string, { raw, caller, headers }: FastifyRequest): string {
  const { address, secure, host, publicOrigin, basePath, session, token } = caller
  return JSON.stringify([
    instance,
    raw.url,
    headers['accept-language'],
    [address, secure, host, publicOrigin, basePath],
    [session?.id, session?.username, token?.id, token?.name, token?.scope],
  ])
}

// Connections to a service: options from the usual settings, statuses with a meaning of their own, and bodies that break
// off.
import { isPlayheadError, type PlayheadError } from '../errors.ts'
import type { AccountLimits, AccountOptions, UpstreamAccount, UpstreamAnswer, UpstreamRequest } from '../upstream.ts'
import type { AccountContext } from './define-contract.ts'

const TRIES_IN_TIME = 3
const READS_OF_A_BROKEN_BODY = 3
/** Unset, the rate of reads would apply to writes. */
const UNLIMITED = 1_000

/** Settings that most providers have. */
interface ServiceSettings {
  /** Longest wait for an answer, in seconds. */
  readonly timeout: number
  /** Further tries of a safe request. */
  readonly max_retries: number
}

/** Options of `account.upstream` from the settings `timeout` and `max_retries`, with the name of this installation. */
export function serviceOptions({
  profile: { timeout, max_retries: retries },
  ctx,
}: Pick<AccountContext<ServiceSettings>, 'profile' | 'ctx'>) {
  return {
    answerMs: timeout * 1_000,
    // Time limit for all tries of a request together.
    timeoutMs: timeout * 1_000 * TRIES_IN_TIME,
    tries: retries + 1,
    headers: { 'user-agent': `Playhead/${ctx.host.version}` },
  } as const satisfies Partial<AccountOptions>
}

/** Limits from a `rateLimitField`; 0 means unlimited. */
export function rateLimits({
  get_per_sec: reads,
  post_per_sec: writes,
}: {
  readonly get_per_sec: number
  readonly post_per_sec: number
}): AccountLimits {
  return { ...(reads > 0 ? { readsPerSecond: reads } : {}), writesPerSecond: writes > 0 ? writes : UNLIMITED }
}

/** The meaning of a status, from the headers and the text of its response (`''` if it cannot be read). */
export type StatusMeaning = (
  answer: Pick<UpstreamAnswer, 'headers'>,
  text: string,
) => PlayheadError | Promise<PlayheadError>

/**
 * The account with errors of the service's own for some statuses. They are neither retried nor do they pause the account
 * or refresh its credential. A request that accepts such a status gets the response.
 *
 * @example
 * withMeanings(upstream, { 426: () => new PlayheadError('PLH_UNSUPPORTED', 'Only for paying accounts.') })
 */
export function withMeanings(
  upstream: UpstreamAccount,
  meanings: Readonly<Record<number, StatusMeaning>>,
): UpstreamAccount {
  const statuses = Object.keys(meanings).map(Number)

  return accountWith(upstream, async (asked) => {
    const answer = await upstream.request({ ...asked, accept: [...statuses, ...(asked.accept ?? [])] })
    const meaning = meanings[answer.status]
    if (meaning === undefined || asked.accept?.includes(answer.status) === true) return answer
    // The status is sufficient where the body breaks off.
    throw await meaning(answer, await answer.text().catch(() => ''))
  })
}

/** The account with another `request`, with which `json` and `document` are sent too. */
export function accountWith(upstream: UpstreamAccount, request: UpstreamAccount['request']): UpstreamAccount {
  return {
    ...upstream,
    request,
    json: (asked, schema) => readWhole({ request }, asked, (answer) => answer.json(schema)),
    document: (asked, schema) => readWhole({ request }, asked, (answer) => answer.document(schema)),
  }
}

/**
 * Sends a request and reads its response, again if the body breaks off and the request is safe: for responses of which
 * the headers are needed too, or the text. `upstream.json` does the same for a body.
 */
export async function readWhole<Result>(
  upstream: Pick<UpstreamAccount, 'request'>,
  request: UpstreamRequest,
  read: (answer: UpstreamAnswer) => Promise<Result>,
): Promise<Result> {
  const isSafe = ['GET', 'HEAD'].includes(request.method ?? 'GET') || request.idempotent === true
  for (let tries = 1; ; tries += 1) {
    try {
      return await read(await upstream.request(request))
    } catch (error) {
      if (!isSafe || !hasBrokenOff(error) || tries >= READS_OF_A_BROKEN_BODY) throw error
    }
  }
}

function hasBrokenOff(error: unknown): boolean {
  if (!isPlayheadError(error, 'PLH_UPSTREAM')) return false
  const { status, reason } = error.details ?? {}
  return status === undefined && reason !== 'blocked'
}

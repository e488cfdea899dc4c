// Trakt requests, and the meaning of its statuses. Texts of the service are never passed on.
import {
  isPlayheadError,
  PlayheadError,
  type Static,
  type TSchema,
  type UpstreamAccount,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '@playhead/sdk'

const READS_OF_A_BROKEN_BODY = 3

type Headers = UpstreamAnswer['headers']

const REFUSALS: Readonly<Record<number, (headers: Headers) => PlayheadError>> = {
  403: () =>
    new PlayheadError('PLH_FORBIDDEN', 'Trakt does not accept the application. Check its client id.', {
      details: { status: 403, reason: 'forbidden' },
    }),
  420: (headers) =>
    new PlayheadError('PLH_CONFLICT', 'The account at Trakt is full.', {
      wire: 'provider_limit',
      details: { status: 420, reason: 'provider_limit', limit: numberOf(headers['x-account-limit']) ?? null },
    }),
  423: (headers) => {
    const reason = headers['x-account-deactivated'] === undefined ? 'account_locked' : 'account_deactivated'
    return new PlayheadError(
      'PLH_FORBIDDEN',
      'The account at Trakt is locked or deactivated. Its owner has to contact Trakt.',
      { wire: reason, details: { status: 423, reason } },
    )
  },
  426: () =>
    new PlayheadError('PLH_UNSUPPORTED', 'Trakt only offers this to VIP accounts.', {
      wire: 'vip_only',
      details: { status: 426, reason: 'vip_only' },
    }),
}
const REFUSED = Object.keys(REFUSALS).map(Number)

/**
 * Besides the errors of `ctx.upstream`: `PLH_FORBIDDEN` (`forbidden`, `account_locked`, `account_deactivated`),
 * `PLH_CONFLICT` (`provider_limit`, with the limit in the details), `PLH_UNSUPPORTED` (`vip_only`);
 * `details.reason` has the code.
 */
export async function ask(upstream: UpstreamAccount, request: UpstreamRequest): Promise<UpstreamAnswer> {
  const answer = await upstream.request({ ...request, accept: [...REFUSED, ...(request.accept ?? [])] })
  const refusal = REFUSALS[answer.status]
  if (refusal === undefined || request.accept?.includes(answer.status) === true) return answer
  answer
    .stream()
    .on('error', () => {
      /* The status is sufficient; errors of the discarded body are irrelevant. */
    })
    .destroy()
  throw refusal(answer.headers)
}

/** A read with its response headers; retries a truncated body. */
export async function readJson<Schema extends TSchema>(
  upstream: UpstreamAccount,
  request: UpstreamRequest,
  schema: Schema,
) {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await ask(upstream, request)
      return { headers: answer.headers, body: (await answer.json(schema)) as Static<Schema> }
    } catch (error) {
      const { status, reason } = (isPlayheadError(error, 'PLH_UPSTREAM') && error.details) || { reason: 'blocked' }
      const brokeOff = status === undefined && reason !== 'blocked'
      if (!brokeOff || tries >= READS_OF_A_BROKEN_BODY) throw error
    }
  }
}

export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined
}

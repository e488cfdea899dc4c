// AniList requests. GraphQL errors come with any status, even 200. Texts of the service are never passed on.
import {
  defined,
  isPlayheadError,
  PlayheadError,
  type Static,
  type TSchema,
  type UpstreamAccount,
  type UpstreamAnswer,
} from '@playhead/sdk'
import { answerOf, changesOf, type GraphErrors } from './wire.ts'

/** Statuses with GraphQL errors in the body. */
const WITH_ERRORS = [400, 403, 404]
/** One of several changes failed; the body has the results of the others. */
const FAILED_IN_PART = 500
const READS_OF_A_BROKEN_BODY = 3
const SERVICE_OFF_MS = 300_000

interface Operation {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

export interface GraphError {
  readonly status: number | undefined
  /** The field that failed, if known. */
  readonly field: string | undefined
}

export interface Changed<Field> {
  readonly data: Readonly<Record<string, Field | null>>
  readonly errors: readonly GraphError[]
}

/**
 * Sends a query. Throws for any error in the response. Besides the errors of `ctx.upstream`: `PLH_AUTH_FAILED` for an
 * invalid token, `PLH_UPSTREAM` (`service_unavailable`) while the API is switched off.
 */
export async function ask<Schema extends TSchema>(
  upstream: UpstreamAccount,
  operation: Operation,
  schema: Schema,
  options: AskOptions = {},
): Promise<Static<Schema>> {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await send(upstream, operation, options, { idempotent: true, accept: WITH_ERRORS })
      const body = (await answer.json(answerOf(schema))) as { readonly data?: unknown; readonly errors?: GraphErrors }
      const [error] = errorsOf(body.errors, answer.status)
      if (error !== undefined) throw errorOf(error)
      return body.data as Static<Schema>
    } catch (error) {
      if (!hasBrokenOff(error) || tries >= READS_OF_A_BROKEN_BODY) throw error
    }
  }
}

/**
 * Sends changes, one field each, and returns a result per field. Throws if no change was made or the result is unknown. `repeatable`
 * changes may be sent twice.
 */
export async function change<Field extends TSchema>(
  upstream: UpstreamAccount,
  operation: Operation,
  field: Field,
  repeatable: boolean,
  signal: AbortSignal,
): Promise<Changed<Static<Field>>> {
  const answer = await send(
    upstream,
    operation,
    { signal },
    { idempotent: repeatable, accept: [...WITH_ERRORS, FAILED_IN_PART] },
  )
  const { data, errors } = (await answer.json(changesOf(field))) as {
    readonly data?: Readonly<Record<string, Static<Field> | null>> | null
    readonly errors?: GraphErrors
  }
  const parsed = errorsOf(errors, answer.status)
  const [error] = parsed
  // A refused operation has no data; a partly failed one has fields without values.
  const isRefused =
    error?.status !== undefined && error.status < FAILED_IN_PART && parsed.every(({ field: of }) => of === undefined)
  if (data == null && isRefused) throw errorOf(error)
  return { data: data ?? {}, errors: parsed }
}

export function errorOf({ status }: GraphError): PlayheadError {
  switch (status) {
    case 401:
      return new PlayheadError('PLH_AUTH_FAILED', 'AniList no longer accepts the sign-in. Sign in again.', {
        details: { status, reason: 'invalid_token' },
      })
    case 403:
      return unavailable()
    case 404:
      return new PlayheadError('PLH_NOT_FOUND', 'AniList does not have the requested item.', { details: { status } })
    case 429:
      return new PlayheadError('PLH_RATE_LIMITED', 'AniList limits requests.', { details: { status } })
    default:
      return new PlayheadError('PLH_UPSTREAM', `AniList answered with an error (${status ?? 'without a status'}).`, {
        details: status === undefined ? { reason: 'graphql_error' } : { status },
      })
  }
}

async function send(
  upstream: UpstreamAccount,
  operation: Operation,
  { signal, timeoutMs }: AskOptions,
  how: { readonly idempotent: boolean; readonly accept: readonly number[] },
): Promise<UpstreamAnswer> {
  const answer = await upstream.request({
    method: 'POST',
    path: '',
    json: operation,
    ...how,
    signal,
    ...defined({ timeoutMs }),
  })
  if (answer.status !== 403) return answer
  // The API is in maintenance, or a proxy responded; the sign-in may be fine.
  answer
    .stream()
    .on('error', () => {
      /* The status is sufficient; errors of the discarded body are irrelevant. */
    })
    .destroy()
  throw unavailable()
}

function errorsOf(errors: GraphErrors | undefined, httpStatus: number): GraphError[] {
  const parsed = (errors ?? []).map(
    ({ message, status, path }): GraphError => ({
      status: isAboutToken(message)
        ? 401
        : typeof status === 'number'
          ? status
          : httpStatus === 200
            ? undefined
            : httpStatus,
      field: typeof path?.[0] === 'string' ? path[0] : undefined,
    }),
  )
  return parsed.length === 0 && httpStatus !== 200 ? [{ status: httpStatus, field: undefined }] : parsed
}

function unavailable(): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM', 'AniList has turned off its API temporarily.', {
    wire: 'service_unavailable',
    retryAfterMs: SERVICE_OFF_MS,
    details: { reason: 'service_unavailable' },
  })
}

function isAboutToken(message: unknown): boolean {
  return typeof message === 'string' && /^(?:invalid token|unauthori[sz]ed)/i.test(message)
}

function hasBrokenOff(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_UPSTREAM') && error.details?.['reason'] === 'connection_lost'
}

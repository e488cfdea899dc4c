// Requests to AniList. Its errors may come with any status, 200 as well, so they are always looked for. Nothing of its
// text gets out.
import {
  isPlayheadError,
  PlayheadError,
  type Static,
  type TSchema,
  type UpstreamAccount,
  type UpstreamAnswer,
} from '@playhead/sdk'
import { answerOf, changesOf, type GraphErrors } from './wire.ts'

/** Statuses whose bodies say more than themselves. */
const WITH_ERRORS = [400, 403, 404]
/** Of several changes one failed; the body says what became of the others. */
const FAILED_IN_PART = 500
const READS_OF_A_BROKEN_BODY = 3
const SERVICE_OFF_MS = 300_000

export interface Operation {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

export interface GraphError {
  readonly status: number | undefined
  /** Name of the answer's field that failed, where that is told. */
  readonly field: string | undefined
}

export interface Changed<Field> {
  readonly data: Readonly<Record<string, Field | null>>
  readonly errors: readonly GraphError[]
}

/**
 * Reads. Throws for any error in the answer: half an answer proves nothing. Beside the errors of `ctx.upstream`:
 * `PLH_AUTH_FAILED` for a token that is none any more, `PLH_UPSTREAM` (`service_unavailable`) while AniList has its
 * interface switched off.
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
 * Sends changes, each a field of its own. Throws where it is certain that nothing of them was done, or where nothing is
 * known; otherwise tells field by field.
 *
 * @param repeatable may be sent twice without harm
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
  const told = errorsOf(errors, answer.status)
  const [error] = told
  // An operation that was not carried out at all has no data; one that failed in part has fields without a value.
  const isRefused =
    error?.status !== undefined && error.status < FAILED_IN_PART && told.every(({ field: of }) => of === undefined)
  if (data == null && isRefused) throw errorOf(error)
  return { data: data ?? {}, errors: told }
}

export function errorOf({ status }: GraphError): PlayheadError {
  switch (status) {
    case 401:
      return new PlayheadError('PLH_AUTH_FAILED', 'AniList does not accept the sign-in any more. Sign in again.', {
        details: { status, reason: 'invalid_token' },
      })
    case 403:
      return unavailable()
    case 404:
      return new PlayheadError('PLH_NOT_FOUND', 'AniList does not have what was asked for.', { details: { status } })
    case 429:
      return new PlayheadError('PLH_RATE_LIMITED', 'AniList asks to wait.', { details: { status } })
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
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  if (answer.status !== 403) return answer
  // Maintenance, or a network in front of it: says nothing about the sign-in.
  answer
    .stream()
    .on('error', () => {
      /* The status said it all. */
    })
    .destroy()
  throw unavailable()
}

function errorsOf(errors: GraphErrors | undefined, httpStatus: number): GraphError[] {
  const told = (errors ?? []).map(
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
  return told.length === 0 && httpStatus !== 200 ? [{ status: httpStatus, field: undefined }] : told
}

function unavailable(): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM', 'AniList has its interface switched off for now.', {
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

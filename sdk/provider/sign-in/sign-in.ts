// Helpers for sign-in routes: flow responses, and one-step sign-ins that save only after the service accepted.
import { defined } from '../../defined.ts'
import { isMasked } from '../../secrets.ts'
import type { FastifyReply } from 'fastify'
import type { AccountContext, ProviderKit } from '../define-contract.ts'
import type { FlowBegun, FlowState } from './flow-contract.ts'

const MIN_INTERVAL_S = 5

/**
 * Times of a device code from the response with it (RFC 8628, 3.2), in seconds. Polls are at least 5 s apart.
 *
 * @example return { shown: { user_code: code.user_code }, secret: { deviceCode: code.device_code }, ...codeTimes(code) }
 */
export function codeTimes(code: {
  readonly expires_in: number
  readonly interval?: number | null | undefined
}): Pick<FlowBegun, 'expiresAtMs' | 'intervalMs'> {
  return {
    expiresAtMs: Date.now() + code.expires_in * 1_000,
    intervalMs: Math.max(MIN_INTERVAL_S, code.interval ?? 0) * 1_000,
  }
}

/** Times of a flow as routes answer them: seconds between two polls, seconds that remain, and epoch seconds of its end. */
export function flowTimes({ intervalMs, expiresAtMs }: Pick<FlowState, 'intervalMs' | 'expiresAtMs'>): {
  readonly interval: number
  readonly expires_in: number
  readonly expires_at: number
} {
  return {
    interval: Math.ceil(intervalMs / 1_000),
    expires_in: Math.max(0, Math.round((expiresAtMs - Date.now()) / 1_000)),
    expires_at: Math.round(expiresAtMs / 1_000),
  }
}

/** The response body of a flow: what to show, its state, and its remaining seconds. */
export function flowBody(instance: string, flow: FlowState | undefined): Readonly<Record<string, unknown>> {
  if (flow === undefined) return { ok: false, status: 'none', instance }
  const { state, shown, result, reason } = flow
  return {
    ...shown,
    ...result,
    ok: state === 'pending' || state === 'authorized',
    status: state,
    pending: state === 'pending',
    ...defined({ reason }),
    ...flowTimes(flow),
    instance,
  }
}

/**
 * Sends `flowBody`: status 410 for an expired flow, else 200.
 * @param extra fields of the route
 */
export function sendFlow(
  reply: FastifyReply,
  instance: string,
  flow: FlowState | undefined,
  extra: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  return reply.code(flow?.state === 'expired' ? 410 : 200).send({ ...flowBody(instance, flow), ...extra })
}

/**
 * Validates settings before saving: `check` calls the service with them and returns what to save, including what it
 * learned (token, user id). If it throws, the stored profile is unchanged.
 *
 * @example const { user } = await saveWhenValid(kit, instance, { api_key: key }, async (account) => {
 *   const user = await createClient(account).me()
 *   return { save: { api_key: key, user_id: user.id }, result: { user } }
 * })
 */
export async function saveWhenValid<Profile, Session, Result>(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  settings: Readonly<Partial<Profile>>,
  check: (
    account: AccountContext<Profile>,
  ) => Promise<{ readonly save: Readonly<Record<string, unknown>>; readonly result: Result }>,
): Promise<Result> {
  const { save, result } = await check(kit.trial(instance, settings))
  await kit.account(instance).save(save)
  await kit.forget(instance)
  return result
}

/**
 * The trimmed, non-empty fields of a body. Masked values are dropped: they mean the stored value.
 *
 * @example
 * const entered = enteredFields(request.body, ['client_id', 'client_secret'])
 * if (Object.keys(entered).length > 0) await kit.account(instance).save(entered)
 */
export function enteredFields<Name extends string>(
  body: unknown,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name]
      return typeof value !== 'string' || value.trim() === '' || isMasked(value) ? [] : [[name, value.trim()]]
    }),
  ) as { readonly [name in Name]?: string }
}

// The routes of a provider as a table: one row for each. The frame around them reads the profile, adds `ok` and `instance` to
// answers, turns failures of the service into codes, and describes the route.
import type { Static, TObject, TProperties, TSchema, TUnknown } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { defined } from '../../defined.ts'
import type { PluginApp } from '../../define.ts'
import type { PlayheadError } from '../../errors.ts'
import type { ErrorReasons } from '../../response.ts'
import type { AccountContext, ProviderKit } from '../define-contract.ts'
import {
  InstanceQuery,
  KEY_REFUSALS,
  PROFILE_ERRORS,
  SERVICE_ERRORS,
  SIGN_OUT_ERRORS,
  SignInDone,
  signInAnswer,
  START_REFUSALS,
} from './answers.ts'
import type { SignInMethod } from './contract.ts'
import { keyCode, sendRefusal, startCode } from './refusals.ts'
import { enteredFields, saveWhenValid } from './sign-in.ts'

/** Registers its route, for example at `POST /api/acme/save`. Made by `routeRow` and the other functions of this file. */
export type RouteRow<Profile, Session> = (
  app: PluginApp,
  kit: ProviderKit<Profile, Session>,
  at: { readonly method: string; readonly url: string },
) => void

/** Rows by method and path below `/api/<token>/`: `POST save`. */
export type RouteTable<Profile, Session> = Readonly<Record<`${'GET' | 'POST'} ${string}`, RouteRow<Profile, Session>>>

/** A request, as a row's code gets it. */
export interface RowCall<Profile, Session, Body = unknown, Query = unknown> {
  readonly kit: ProviderKit<Profile, Session>
  /** The profile that the request names. */
  readonly instance: string
  /** Its effective settings when the request arrived. */
  readonly profile: Readonly<Profile>
  readonly body: Body
  readonly query: Query
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Fields of the answer: `ok: true` and `instance` are added. A text is a code: the answer is `{ ok: false, error }`. An answer
 * whose `status` or `state` is `expired` is sent with 410. The reply itself, if the row has sent it.
 */
export type RowAnswer = object | string

/** The meanings of failures of the service in an answer. */
export interface Refusals {
  /** A sentence for each code, for the API description. */
  readonly codes: Readonly<Record<string, string>>
  /** The codes of 429 in place of `rate_limited`. */
  readonly limited?: Readonly<Record<string, string>>
  /** Fields of the answer, beside `ok: false` and `instance`. Rethrows unexpected errors. */
  readonly of: (error: PlayheadError) => object
}

/** Refusals of a key that is tested. */
export const KEY_REFUSED: Refusals = { codes: KEY_REFUSALS, of: (error) => ({ error: keyCode(error) }) }
/** Refusals of a sign-in that begins. */
export const START_REFUSED: Refusals = { codes: START_REFUSALS, of: startCode }

export interface RouteRowOptions<Profile, Session, Body extends TSchema, Query extends TProperties> {
  readonly summary: string
  /** Query parameters beside `instance`. */
  readonly query?: Query
  readonly body?: Body
  readonly response: Readonly<Record<number, TSchema>>
  /** Answers a failure of the service with a code. Absent: failures are errors, with their own status. */
  readonly refusals?: Refusals
  /** Further codes by status, beside those of profiles and of `refusals`. For the API description. */
  readonly errors?: ErrorReasons
  run(call: RowCall<Profile, Session, Static<Body>, Static<TObject<Query>>>): RowAnswer | Promise<RowAnswer>
}

/**
 * The `routes` of a provider. plugin.json lists them as well.
 *
 * @example
 * routes: providerRoutes({
 *   'POST save': keyRow({ summary: 'Save the key of a profile', check: (trial) => askWith(trial) }),
 *   'POST disconnect': signOutRow('Forget the key of a profile'),
 * })
 */
export function providerRoutes<Profile, Session>(
  rows: RouteTable<Profile, Session>,
): (app: PluginApp, kit: ProviderKit<Profile, Session>) => void {
  return (app, kit) => {
    for (const [route, row] of Object.entries(rows)) {
      const [method = '', path = ''] = route.split(' ')
      row(app, kit, { method, url: `/api/${kit.ctx.manifest.provider?.token}/${path}` })
    }
  }
}

/** A route of any kind. */
export function routeRow<Profile, Session, Body extends TSchema = TUnknown, Query extends TProperties = TProperties>({
  summary,
  query,
  body,
  response,
  refusals,
  errors,
  run,
}: RouteRowOptions<Profile, Session, Body, Query>): RouteRow<Profile, Session> {
  const querystring = Type.Object({ ...InstanceQuery.properties, ...query })
  const schema: FastifySchema = {
    summary,
    querystring,
    response,
    errors: errorsOf(refusals, errors),
    ...defined({ body }),
  }
  return (app, kit, at) =>
    app.route({
      ...at,
      schema,
      async handler(request, reply) {
        const instance = kit.instanceOf(request)
        try {
          const answer = await run({
            kit,
            instance,
            profile: kit.profile(instance),
            body: request.body as Static<Body>,
            query: request.query as Static<TObject<Query>>,
            request,
            reply,
          })
          if (answer === reply) return reply
          if (typeof answer === 'string') return { ok: false, error: answer, instance }
          const { status, state } = answer as { readonly status?: unknown; readonly state?: unknown }
          if (status === 'expired' || state === 'expired') void reply.code(410)
          return { ok: true, ...answer, instance }
        } catch (error) {
          if (refusals === undefined) throw error
          return sendRefusal(reply, error, (refusal) => ({ ...refusals.of(refusal), instance }))
        }
      },
    })
}

function errorsOf(refusals: Refusals | undefined, own: ErrorReasons = {}): ErrorReasons {
  const shared: ErrorReasons =
    refusals === undefined
      ? PROFILE_ERRORS
      : { ...SERVICE_ERRORS, 200: refusals.codes, 429: refusals.limited ?? SERVICE_ERRORS[429] }
  const statuses = Object.keys({ ...shared, ...own }).map(Number)
  return Object.fromEntries(statuses.map((status) => [status, { ...shared[status], ...own[status] }]))
}

/** Sends the entered values to the service; throws if it refuses them. Returns further settings to save. */
export type CheckKey<Profile> = (trial: AccountContext<Profile>) => Promise<Readonly<Partial<Profile>> | void>

const KeyBody = Type.Object({ api_key: Type.Optional(Type.Union([Type.String(), Type.Null()])) })

/** The route that tests the field `api_key` of its body and saves it. */
export function keyRow<Profile extends { readonly api_key: string }, Session>({
  summary,
  check,
}: {
  readonly summary: string
  readonly check: CheckKey<Profile>
}): RouteRow<Profile, Session> {
  return routeRow({
    summary,
    body: KeyBody,
    response: { 200: SignInDone },
    refusals: KEY_REFUSED,
    errors: { 200: { api_key_required: 'The key is missing.' } },
    run: (call) => saveKey(call, check),
  })
}

/**
 * Tests the `api_key` of a body and saves it. An empty or masked one means the stored key, which is not tested.
 *
 * @param also settings to save with any key, also the stored one
 * @returns the answer: `api_key_required` if there is no key
 */
export async function saveKey<Profile extends { readonly api_key: string }, Session>(
  { kit, instance, profile, body }: RowCall<Profile, Session>,
  check: CheckKey<Profile>,
  also?: Readonly<Partial<Profile>>,
): Promise<RowAnswer> {
  const { api_key: key } = enteredFields(body, ['api_key'])
  if (key === undefined) {
    if (profile.api_key === '') return 'api_key_required'
    if (also === undefined) return {}
    await kit.account(instance).save(also)
    await kit.forget(instance)
    return {}
  }
  const settings = { ...also, api_key: key } as Readonly<Partial<Profile>>
  return saveWhenValid(kit, instance, settings, async (trial) => ({
    save: { ...settings, ...(await check(trial)) },
    result: {},
  }))
}

/**
 * The route that ends a sign-in with a code: `cancelled` is false if there was none.
 *
 * @param what `code` or `PIN`, for the description
 */
export function cancelRow<Profile, Session>(method: SignInMethod, what: string): RouteRow<Profile, Session> {
  return routeRow({
    summary: `Forget the ${what}`,
    response: { 200: signInAnswer({ cancelled: Type.Boolean({ description: `False if there was no ${what}.` }) }) },
    run: ({ kit, instance }) => ({ cancelled: kit.flows.cancel(instance, method) }),
  })
}

/**
 * The route that signs a profile out, where clients look for it: `POST disconnect` or `POST token/delete`. 409
 * `provider_in_use` while something uses the profile. Sign-ins under way end with it.
 *
 * @param before what the profile needs before its credentials are removed; `signOut` of the definition notifies the service
 */
export function signOutRow<Profile, Session>(
  summary: string,
  before?: (call: RowCall<Profile, Session>) => Promise<void>,
): RouteRow<Profile, Session> {
  return routeRow({
    summary,
    response: { 200: SignInDone },
    errors: SIGN_OUT_ERRORS,
    async run(call) {
      const { kit, instance } = call
      await kit.assertUnused(instance)
      await before?.(call)
      await kit.disconnect(instance)
      return {}
    },
  })
}

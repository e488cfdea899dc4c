// Schemas of the answers of sign-in routes, and the reasons for which they refuse.
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import type { ErrorReasons } from '../../response.ts'

/** The query of routes that take a profile: `kit.instanceOf(request)` reads and checks it. */
export const InstanceQuery = Type.Object({
  instance: Type.Optional(Type.String({ maxLength: 100, description: 'The profile. Default: `default`.' })),
})

/** For routes that take a profile as `instance`. */
export const PROFILE_ERRORS = {
  400: { invalid_instance_id: 'This is not a valid profile ID.' },
  404: { not_found: 'This account does not exist.' },
} as const satisfies ErrorReasons

/** For routes that send requests to the service. */
export const SERVICE_ERRORS = {
  ...PROFILE_ERRORS,
  429: { rate_limited: 'The service limits requests. `retry_after` says how long to wait.' },
} as const satisfies ErrorReasons

/** For routes that find a server: with the failures of `findServer`. */
export const SERVER_ERRORS = {
  ...SERVICE_ERRORS,
  400: {
    ...SERVICE_ERRORS[400],
    missing_server: 'There is no address.',
    invalid_server: 'This cannot be an address.',
    wrong_product: 'Something answers there, but it is not the product.',
  },
} as const satisfies ErrorReasons

/** With `ok: false`, for routes that test a key: the codes of `keyCode`, with a status in place of `…`. */
export const KEY_REFUSALS = {
  invalid_api_key: 'The service refuses the key.',
  validation_timeout: 'The service did not respond in time.',
  validation_bad_response: 'The service sent an invalid response.',
  'validation_http_…': 'The service answered with this status.',
  validation_failed: 'Could not reach the service.',
  blocked: 'A web page, for example a browser check, came instead of an answer: programs are kept out.',
} as const

/** With `ok: false`, for routes that begin a sign-in: the codes of `startCode`. */
export const START_REFUSALS = {
  invalid_response: 'The service sent an invalid response.',
  network_error: 'Could not reach the service.',
  blocked: 'A web page, for example a browser check, came instead of an answer: programs are kept out.',
  http_error: 'The service refused or failed.',
} as const

/** For routes that forget a sign-in. */
export const SIGN_OUT_ERRORS = {
  ...PROFILE_ERRORS,
  409: { provider_in_use: 'A pair or a setting uses this profile.' },
} as const satisfies ErrorReasons

/**
 * The answer of a sign-in route: `ok`, `instance`, and the fields that a success has. Refusals by the service also are
 * answered 200, with `ok: false` and an `error`.
 *
 * @example response: { 200: signInAnswer({ user_code: Type.String() }) }
 */
export function signInAnswer<Fields extends TProperties>(fields: Fields, more: TProperties = {}) {
  return Type.Object({
    ok: Type.Boolean(),
    instance: Type.String({ description: 'The profile.' }),
    ...(Type.Partial(Type.Object(fields)) as TObject<TProperties>).properties,
    error: Type.Optional(Type.String({ description: 'With `ok: false`: a code.' })),
    reason: Type.Optional(Type.String({ description: 'With `ok: false`: a more precise code.' })),
    ...more,
  })
}

/** The answer of a route that only reports success. */
export const SignInDone = signInAnswer({})
export type SignInDone = Static<typeof SignInDone>

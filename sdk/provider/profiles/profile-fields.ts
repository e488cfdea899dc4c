// Fields that the profiles of many providers have.
import { type SchemaOptions, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'

/** Texts of a form for a setting; without a title it is derived from the field's name. */
export interface FieldWords {
  readonly title: string
  readonly description?: string
}

/** Texts of settings that most providers have: `Type.Number({ default: 15, inherit: true, ...FIELD_WORDS.timeout })` */
export const FIELD_WORDS = {
  /** In seconds. */
  timeout: { title: 'Request timeout (seconds)', description: 'A request that takes longer fails.' },
  retries: { title: 'Retries', description: 'How many times a request is sent again after a temporary failure.' },
  certificate: {
    title: 'Verify the server certificate',
    description: 'Turn this off only for your own server with a self-signed certificate.',
  },
  api: { title: 'API address', description: 'Change this only to use another server, for example for tests.' },
  signIn: { title: 'Sign-in address', description: 'Change this only to use another server, for example for tests.' },
} as const satisfies Readonly<Record<string, FieldWords>>

const wordsOf = (words: string | FieldWords) => (typeof words === 'string' ? { description: words } : words)

/**
 * Base URL of a service.
 *
 * @param words its description, or title and description.
 */
export function addressField(url: string, words: string | FieldWords) {
  return Type.String({ default: url, maxLength: 500, pattern: '^https?://\\S+$', ...wordsOf(words) })
}

/**
 * A number that further profiles inherit from the default one.
 *
 * @param words its description, or title and description.
 */
export function tuningField(value: number, minimum: number, maximum: number, words: string | FieldWords) {
  return Type.Integer({ default: value, minimum, maximum, inherit: true, ...wordsOf(words) })
}

/** The default of a setting: of a number also the smallest and the largest value. */
type CompatDefault =
  | boolean
  | string
  | number
  | readonly string[]
  | readonly [value: number, least: number, most: number]

/**
 * Settings that clients of the interface know and the plugin does not need: they are accepted, stored and answered, and
 * have no effect. Forms do not show them.
 *
 * @example ...compatFields({ history_per_page: [100, 1, 1_000], history_unresolved: false })
 */
export function compatFields<const Defaults extends Readonly<Record<string, CompatDefault>>>(defaults: Defaults) {
  const fields = Object.entries(defaults).map(([name, value]) => [name, { ...compatField(value), deprecated: true }])
  return Object.fromEntries(fields) as { readonly [name in keyof Defaults]: TUnsafe<unknown> }
}

const isRange = (value: readonly unknown[]): value is readonly [number, number, number] => typeof value[0] === 'number'

function compatField(value: CompatDefault): TSchema {
  const options = { default: value, inherit: true, title: 'Has no effect' }
  if (typeof value === 'boolean') return Type.Boolean(options)
  if (typeof value === 'number') return Type.Integer(options)
  if (typeof value === 'string') return Type.String({ ...options, maxLength: 100 })
  if (!isRange(value)) return Type.Array(Type.String(), options)
  const [number, minimum, maximum] = value
  return Type.Integer({ ...options, default: number, minimum, maximum })
}

/** A setting that the plugin itself stores, such as a token of a sign-in. Forms do not show it. */
export function ownField<Field extends TSchema>(field: Field): Field {
  return { ...field, readOnly: true }
}

/**
 * A credential, sent only to the address in another setting.
 *
 * @param boundTo name of the setting with the address
 */
export function secretField(boundTo: string, description: string, more: SchemaOptions = {}) {
  return Type.String({ default: '', maxLength: 4_096, secret: true, boundTo, description, ...more })
}

/** A text that a sign-in stores beside its tokens, such as `scope`. */
export function signedInField(value: string, maxLength: number, description = 'Set when you sign in.') {
  return ownField(Type.String({ default: value, maxLength, description }))
}

/**
 * Settings that an OAuth sign-in stores: the tokens, their end, and their application as of `tokenOwner`.
 *
 * @param boundTo names of the settings with the addresses that get the tokens
 */
export function tokenFields(boundTo: { readonly access: string; readonly refresh: string }) {
  return {
    access_token: ownField(secretField(boundTo.access, 'Set when you sign in.')),
    refresh_token: ownField(secretField(boundTo.refresh, 'Set when you sign in. Each refresh token works once.')),
    expires_at: Type.Integer({
      default: 0,
      minimum: 0,
      readOnly: true,
      description: 'When the access token expires, in seconds since 1970. 0 if unknown.',
    }),
    token_client_id: signedInField('', 512, 'The application that the tokens belong to. Set when you sign in.'),
    token_mark: signedInField('', 64, 'Ties the token to its application. Set when you sign in.'),
  }
}

/** Names of `tokenFields`, for the `credentials` of a definition. */
export const TOKEN_FIELDS = ['access_token', 'refresh_token', 'expires_at', 'token_client_id', 'token_mark'] as const

/** The entered address without spaces around it and slashes at its end. */
export function trimAddress(entered: string, otherwise = ''): string {
  return entered.trim().replace(/\/+$/, '') || otherwise
}

/** `rate_limit`, in requests per second. */
export function rateLimitField(reads: number, writes: number) {
  const perSecond = (value: number, title: string, description: string) =>
    Type.Number({ default: value, minimum: 0, maximum: 1_000, title, description })
  return Type.Object(
    {
      get_per_sec: perSecond(reads, 'Reads per second', '0 means no limit.'),
      post_per_sec: perSecond(writes, 'Writes per second', '0 means no limit.'),
    },
    { default: { get_per_sec: reads, post_per_sec: writes }, inherit: true, title: 'Rate limit' },
  )
}

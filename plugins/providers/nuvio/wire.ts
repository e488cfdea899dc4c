// Nuvio response formats, limited to the fields that are read. Bad fields invalidate their row, not the page.
import { type Static, Type } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Flag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
const Anything = Type.Optional(Type.Unknown())

/** A row of the library, the watched items or the positions. Unknown fields are preserved. */
export const Row = Type.Object({
  content_id: Anything,
  content_type: Anything,
  name: Anything,
  title: Anything,
  release_info: Anything,
  season: Anything,
  episode: Anything,
  video_id: Anything,
  added_at: Anything,
  watched_at: Anything,
  position: Anything,
  duration: Anything,
  last_watched: Anything,
  progress_key: Anything,
})
export type Row = Static<typeof Row>
export const Rows = Type.Array(Row)

export const Events = Type.Array(
  Type.Intersect([Type.Object({ event_id: Type.Integer({ minimum: 0 }), operation: Type.String() }), Row]),
)
export type Event = Static<typeof Events>[number]

export const Cursor = Type.Integer({ minimum: 0 })

/** Row counts per table and profile. */
export const Overview = Type.Record(Type.String(), Type.Unknown())

export const Profiles = Type.Array(
  Type.Object({
    profile_index: Type.Integer({ minimum: 1 }),
    user_id: Text,
    name: Text,
    uses_primary_addons: Flag,
    uses_primary_plugins: Flag,
    pin_enabled: Flag,
  }),
)

export const User = Type.Object({ id: Type.String({ minLength: 1 }) })

export const Login = Type.Array(
  Type.Object({
    code: Type.String({ minLength: 1 }),
    web_url: Text,
    qr_content: Text,
    expires_at: Anything,
    expires_at_millis: Anything,
    poll_interval_seconds: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  }),
  { minItems: 1 },
)

export const LoginState = Type.Array(Type.Object({ status: Type.String() }), { minItems: 1 })

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** Tokens of a sign-in in any known spelling; undefined without tokens. */
export function tokensOf(value: unknown, nowMs: number): Tokens | undefined {
  if (!isRecord(value)) return undefined
  const session = isRecord(value['session']) ? value['session'] : value
  const accessToken = session['access_token'] ?? session['accessToken']
  const refreshToken = session['refresh_token'] ?? session['refreshToken']
  const lifetime = Number(session['expires_in'] ?? session['expiresIn'] ?? 0)
  if (typeof accessToken !== 'string' || accessToken === '' || typeof refreshToken !== 'string' || refreshToken === '')
    return undefined
  return { accessToken, refreshToken, expiresAt: lifetime > 0 ? Math.floor(nowMs / 1_000 + lifetime) : 0 }
}

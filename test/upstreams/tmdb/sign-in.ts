// The sign-in: a token that a person approves in the browser, the session created from it, and its end.
import { accountOf, type Answer, coded, ok, refuse } from './replies.ts'
import { newToken } from './state.ts'

const TOKEN_LIFETIME_MS = 3_600_000

export const checkKey: Answer = () => ok({ success: true, status_code: 1, status_message: 'Success.' })

export const newRequestToken: Answer = ({ state }) => {
  const token = newToken()
  const expiresAtMs = state.nowMs() + TOKEN_LIFETIME_MS
  state.tokens.set(token, { expiresAtMs, outcome: 'pending' })
  return ok({
    success: true,
    expires_at: `${new Date(expiresAtMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    request_token: token,
  })
}

export const newSession: Answer = ({ state, body }) => {
  const token = state.tokens.get(String(body['request_token'] ?? ''))
  if (token === undefined || token.outcome === 'used' || token.expiresAtMs <= state.nowMs()) return refuse(33)
  if (token.outcome === 'pending' || token.outcome === 'denied') return refuse(17)
  const session = newToken()
  state.sessions.set(session, token.outcome.username)
  token.outcome = 'used'
  return ok({ success: true, session_id: session })
}

export const endSession: Answer = ({ state, body }) => {
  const was = state.sessions.delete(String(body['session_id'] ?? ''))
  return was ? ok({ success: true }) : coded(34)
}

export const readAccount: Answer = (context) => {
  const { id, username } = accountOf(context)
  return ok({
    id,
    username,
    name: '',
    iso_639_1: 'en',
    iso_3166_1: 'US',
    include_adult: false,
    avatar: { gravatar: { hash: '0'.repeat(32) } },
  })
}

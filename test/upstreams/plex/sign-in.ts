// Sign-in at the cloud: PINs that a person types at the link page (plain) or that a browser carries (strong), the account of a
// token, and signing out.
import type { UpstreamReply } from '../base/index.ts'
import type { Route } from './router.ts'
import { type Account, issueToken, type Pin, type PlexState, takeId } from './state.ts'
import { type AccountCall, answer, type Call, cloudError, plexValue, type Row } from './wire.ts'

const PIN_LIFETIME_MS = 900_000
const JOINED_AT_MS = Date.UTC(2020, 0, 1)
// Without characters that people confuse.
const PLAIN = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const STRONG = 'abcdefghijklmnopqrstuvwxyz0123456789'

export const signInRoutes: readonly Route[] = [
  ['open', 'POST', '/api/v2/pins', createPin],
  ['open', 'GET', '/api/v2/pins/:id', readPin],
  ['account', 'GET', '/api/v2/user', readUser],
  ['account', 'DELETE', '/api/v2/users/signout', signOut],
]

/** Approves a PIN at the link page. Throws if the service would reject the code. */
export function approvePin(state: PlexState, code: string, account: Account): void {
  const pin = [...state.pins.values()].find(
    (candidate) => candidate.code === code && candidate.expiresAtMs > state.now(),
  )
  if (pin === undefined) throw new Error(`no PIN with the code ${code} is waiting`)
  pin.authToken = issueToken(state, account, 'cloud').value
}

async function createPin(call: Call): Promise<UpstreamReply> {
  const clientIdentifier = plexValue(call.request, 'X-Plex-Client-Identifier')
  if (clientIdentifier === undefined) return cloudError(call, 400, 1000, 'X-Plex-Client-Identifier is missing')
  const strong = isTrue(call.query.get('strong')) || isStrongBody((await call.request.body()).toString('utf8'))
  const { state, nowMs } = call
  const id = takeId(state)
  const pin: Pin = {
    id,
    code: strong ? spell(id, STRONG, 25) : spell(id, PLAIN, 4),
    clientIdentifier,
    product: plexValue(call.request, 'X-Plex-Product') ?? 'Plex',
    createdAtMs: nowMs,
    expiresAtMs: nowMs + PIN_LIFETIME_MS,
    authToken: null,
  }
  state.pins.set(id, pin)
  return answer(call, 'pin', pinRow(pin, nowMs), 201)
}

function readPin(call: Call): UpstreamReply {
  const pin = call.state.pins.get(Number(call.params['id']))
  // A PIN is visible only to the client that created it.
  const known =
    pin !== undefined &&
    pin.expiresAtMs > call.nowMs &&
    pin.clientIdentifier === plexValue(call.request, 'X-Plex-Client-Identifier')
  return known ? answer(call, 'pin', pinRow(pin, call.nowMs)) : cloudError(call, 404, 1020, 'Code not found or expired')
}

function pinRow(pin: Pin, nowMs: number): Row {
  return {
    id: pin.id,
    code: pin.code,
    product: pin.product,
    trusted: false,
    qr: `https://plex.tv/api/v2/pins/qr/${pin.code}`,
    clientIdentifier: pin.clientIdentifier,
    location: { code: 'NL', country: 'Netherlands', city: 'Utrecht' },
    expiresIn: Math.max(0, Math.floor((pin.expiresAtMs - nowMs) / 1_000)),
    createdAt: isoSeconds(pin.createdAtMs),
    expiresAt: isoSeconds(pin.expiresAtMs),
    authToken: pin.authToken,
    newRegistration: null,
  }
}

function readUser(call: AccountCall): UpstreamReply {
  const { account, token } = call
  return answer(call, 'user', {
    id: account.id,
    uuid: account.uuid,
    username: account.username,
    title: account.title,
    email: account.email,
    thumb: `https://plex.tv/users/${account.uuid}/avatar`,
    restricted: account.role === 'managed',
    home: account.role !== 'friend',
    homeAdmin: account.role === 'owner',
    hasPassword: account.role !== 'managed',
    twoFactorEnabled: false,
    friendlyName: account.title,
    joinedAt: Math.floor(JOINED_AT_MS / 1_000),
    // plex.tv returns the token on every request.
    authToken: token.value,
    subscription: { active: account.role === 'owner', plan: account.role === 'owner' ? 'lifetime' : null },
  })
}

function signOut({ state, token }: AccountCall): UpstreamReply {
  state.tokens.delete(token.value)
  return { status: 204 }
}

/** A code that is unique to this id. */
function spell(id: number, alphabet: string, length: number): string {
  // Multiplying by a coprime number spreads neighbouring ids over the alphabet and keeps them distinct.
  let rest = (BigInt(id) * 7_368_787n) % BigInt(alphabet.length) ** BigInt(length)
  return Array.from({ length }, () => {
    const digit = alphabet[Number(rest % BigInt(alphabet.length))] as string
    rest /= BigInt(alphabet.length)
    return digit
  }).join('')
}

function isStrongBody(body: string): boolean {
  return isTrue(new URLSearchParams(body).get('strong')) || /"strong"\s*:\s*true/.test(body)
}

function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1'
}

function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

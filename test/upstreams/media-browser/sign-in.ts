// Signing in by password and by Quick Connect. One token per user and device: a second sign-in replaces the first.
import type { UpstreamReply } from '../base/index.ts'
import { type Credentials, readCredentials } from './access.ts'
import { type Call, readObject, Refusal } from './call.ts'
import { formatDate } from './dates.ts'
import { userDto } from './routes-server.ts'
import { findUser, type User } from './world.ts'

export async function signInByPassword(call: Call): Promise<UpstreamReply> {
  const { name, password } = await readNameAndPassword(call)
  const client = requireClient(call)
  const user = call.world.users.find((other) => other.name.toLowerCase() === name.toLowerCase())
  if (user === undefined || user.password !== password) throw new Refusal(401, 'Invalid username or password entered.')
  if (user.disabled) throw new Refusal(403, 'User account is disabled.')
  return issue(call, user, client)
}

export function signOut(call: Call): UpstreamReply {
  if (call.token !== undefined) call.world.tokens.delete(call.token.value)
  return { status: 204 }
}

async function readNameAndPassword(call: Call): Promise<{ name: string; password: string }> {
  const form = String(call.request.headers['content-type']).includes('application/x-www-form-urlencoded')
  if (form && call.dialect.product === 'jellyfin') throw new Refusal(415)
  const fields = form
    ? Object.fromEntries(new URLSearchParams((await call.request.body()).toString()))
    : await readObject(call)
  const { Username: name, Pw: password } = fields
  if (typeof name !== 'string') throw new Refusal(400, 'The Username field is required.')
  return { name, password: typeof password === 'string' ? password : '' }
}

type Client = Required<Omit<Credentials, 'token'>>

/** A sign-in must name its client. */
function requireClient({ request, dialect }: Call): Client {
  const { client, device, deviceId, version } = readCredentials(request, dialect)
  if (!client || !device || !deviceId || !version) throw new Refusal(400, 'Value cannot be null. (Parameter deviceId)')
  return { client, device, deviceId, version }
}

function issue({ world }: Call, user: User, { client, device, deviceId, version }: Client): UpstreamReply {
  for (const token of world.tokens.values())
    if (token.user === user && token.deviceId === deviceId) world.tokens.delete(token.value)
  const value = world.random.hex(32)
  world.tokens.set(value, { value, user, client, deviceName: device, deviceId, version })
  const session = {
    Id: world.random.hex(32),
    UserId: user.id,
    UserName: user.name,
    Client: client,
    DeviceName: device,
    DeviceId: deviceId,
  }
  return {
    status: 200,
    json: { User: userDto(world, user), SessionInfo: session, AccessToken: value, ServerId: world.serverId },
  }
}

interface Pending {
  readonly code: string
  readonly client: Client
  readonly startedAtMs: number
  user?: User
  approvedAtMs?: number
}

const PENDING_MS = 600_000
const APPROVED_MS = 60_000

/** Requests are kept in memory, so a restart loses them. */
export function createQuickConnect(isEnabled: () => boolean) {
  const pending = new Map<string, Pending>()

  function find(call: Call, secret: string | undefined): Pending {
    const nowMs = call.world.nowMs()
    const entry = pending.get(secret ?? '')
    if (entry === undefined) throw new Refusal(404, 'Unable to find a pending request.')
    const endsAtMs =
      entry.approvedAtMs === undefined ? entry.startedAtMs + PENDING_MS : entry.approvedAtMs + APPROVED_MS
    if (nowMs < endsAtMs) return entry
    pending.delete(secret ?? '')
    throw new Refusal(404, 'Unable to find a pending request.')
  }

  function dto(secret: string, { code, client, startedAtMs, user }: Pending): Record<string, unknown> {
    const { client: app, device, deviceId, version } = client
    const shown = {
      DeviceId: deviceId,
      DeviceName: device,
      AppName: app,
      AppVersion: version,
      DateAdded: formatDate(startedAtMs),
    }
    return { Authenticated: user !== undefined, Secret: secret, Code: code, ...shown }
  }

  function approve(call: Pick<Call, 'world'>, code: string, user: User): boolean {
    const entry = [...pending.values()].find((other) => other.code === code)
    if (entry === undefined || call.world.nowMs() >= entry.startedAtMs + PENDING_MS) return false
    Object.assign(entry, { user, approvedAtMs: call.world.nowMs() })
    return true
  }

  return {
    approve,
    forgetAll: () => pending.clear(),
    enabled: (): UpstreamReply => ({ status: 200, json: isEnabled() }),
    initiate(call: Call): UpstreamReply {
      if (!isEnabled()) throw new Refusal(401, 'Quick connect is disabled')
      const client = requireClient(call)
      const secret = call.world.random.hex(64)
      const entry = {
        code: String(call.world.random.integer(100_000, 999_999)),
        client,
        startedAtMs: call.world.nowMs(),
      }
      pending.set(secret, entry)
      return { status: 200, json: dto(secret, entry) }
    },
    connect(call: Call): UpstreamReply {
      const secret = call.query('Secret') ?? ''
      return { status: 200, json: dto(secret, find(call, secret)) }
    },
    authorize(call: Call): UpstreamReply {
      const user =
        call.query('UserId') === undefined ? call.token?.user : findUser(call.world, call.query('UserId') ?? '')
      if (user === undefined || (user !== call.token?.user && call.token?.user?.administrator === false))
        throw new Refusal(403)
      if (!approve(call, call.query('Code') ?? '', user)) throw new Refusal(404, 'Unable to find a pending request.')
      return { status: 200, json: true }
    },
    async signIn(call: Call): Promise<UpstreamReply> {
      const { Secret: secret } = await readObject(call)
      const { user, client } = find(call, typeof secret === 'string' ? secret : '')
      if (user === undefined) throw new Refusal(401, 'The request is not authorized yet.')
      if (user.disabled) throw new Refusal(403, 'User account is disabled.')
      pending.delete(String(secret))
      return issue(call, user, client)
    },
  }
}

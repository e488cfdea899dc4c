// An open session of a profile: the server, and the user whose plays are read.
import {
  type AccountContext,
  type AccountHealth,
  PlayheadError,
  type UpstreamAccount,
  isPlayheadError,
} from '@playhead/sdk'
import { type Command, ask, openApi } from './api.ts'
import { EVERYBODY, type Profile } from './settings.ts'
import { ServerInfo, UserNames, numberOf, textOf } from './wire.ts'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
  readonly now: () => number
}

export function openSession(account: AccountContext<Profile>): Session {
  return { account, api: openApi(account), now: () => Date.now() }
}

interface Server {
  readonly id: string
  readonly name: string
}

export async function serverOf(command: Command): Promise<Server> {
  const { pms_identifier: id, pms_name: name } = await ask(command, 'get_server_info', {}, ServerInfo)
  return { id, name: textOf(name) ?? id }
}

interface Whose {
  /** Account id. */
  readonly account: string
  /** Filters the plays; empty for all users. */
  readonly userId: string
  readonly server: Server
}

/** Throws `PLH_NOT_READY` (`user_required`) when there are several users and none was chosen. */
export async function whosePlays(command: Command): Promise<Whose> {
  const { user_id: chosen } = command.account.profile.history
  const server = await serverOf(command)
  const userId = chosen === EVERYBODY ? '' : chosen === '' ? await onlyUser(command) : chosen
  return { account: `${server.id}/${userId || EVERYBODY}`, userId, server }
}

async function onlyUser(command: Command): Promise<string> {
  const users = await ask(command, 'get_user_names', {}, UserNames)
  // User 0 represents playbacks without a user.
  const ids = users.flatMap(({ user_id: id }) => numberOf(id) ?? []).filter((id) => id > 0)
  if (ids.length <= 1) return ''
  throw new PlayheadError(
    'PLH_NOT_READY',
    'Several people use this server. Enter the ID of the user whose plays are read.',
    { wire: 'user_required', details: { reason: 'user_required', users: ids.length } },
  )
}

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  const command = { ...session, signal }
  try {
    const { account, server } = await whosePlays(command)
    return { status: 'ok', account, user: { id: account, name: server.name } }
  } catch (error) {
    if (!isPlayheadError(error) || error.details?.['reason'] !== 'user_required') throw error
    const { id, name } = await serverOf(command)
    return { status: 'ok', user: { id, name }, features: { history: false }, extras: { user_required: true } }
  }
}

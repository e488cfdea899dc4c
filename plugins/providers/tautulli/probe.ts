// Checks whether Tautulli answers, and whether the user is known.
import { type AccountHealth, isPlayheadError } from '@playhead/sdk'
import { serverOf, type Session, whosePlays } from './session.ts'

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

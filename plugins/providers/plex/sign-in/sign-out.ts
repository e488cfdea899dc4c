// Signing out ends the token at Plex. Profiles for home users share the token of their account: it lives as long as one
// of them needs it.
import type { Session } from '../session.ts'

type Settings = Readonly<Record<string, unknown>>

export async function signOut({ account, cloud }: Session, signal: AbortSignal): Promise<void> {
  const { account_token: token } = account.current()
  const { instances, ...first } = account.ctx.config as Settings & {
    readonly instances?: Readonly<Record<string, Settings>>
  }
  const profiles: readonly (readonly [string, Settings])[] = [['default', first], ...Object.entries(instances ?? {})]
  const isShared = profiles.some(([id, settings]) => id !== account.instance && settings['account_token'] === token)
  if (!isShared) await cloud.signOut(signal)
}
